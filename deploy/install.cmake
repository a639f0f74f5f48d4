# SPDX-License-Identifier: BSD-3-Clause
# Where an installation has its parts: below a prefix (cmake --install, a Debian package), or in a wheel (pip install), whose
# parts pip puts below the prefix of an environment. The programs find each other and the packages from where they lie.
include(GNUInstallDirs)
if(SKBUILD)
  set(CMAKE_INSTALL_BINDIR ${SKBUILD_SCRIPTS_DIR})
  set(GAMELAN_INSTALL_PYTHON ${SKBUILD_PLATLIB_DIR})
  set(GAMELAN_INSTALL_SHARE ${SKBUILD_DATA_DIR}/share)
  set(GAMELAN_INSTALL_LIB ${SKBUILD_DATA_DIR}/lib)
  # Jupyter puts the kernelspec's own folder, ENVIRONMENT/share/jupyter/kernels/gamelan, in the place of {resource_dir}.
  set(gamelan_installed_kernel "{resource_dir}/../../../../bin/gamelan-kernel")
else()
  set(GAMELAN_INSTALL_PYTHON lib/python3/dist-packages CACHE STRING "Where the Python packages go, below the prefix")
  set(GAMELAN_INSTALL_SHARE share)
  set(GAMELAN_INSTALL_LIB lib)
  set(gamelan_installed_kernel "\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/gamelan-kernel")
endif()
# Python, MPI and the rest may lie where the system's linker does not look.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
