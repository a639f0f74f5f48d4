# SPDX-License-Identifier: BSD-3-Clause
# The Debian package `gamelan`: what `cmake --install` leaves, below /usr. deploy/package sets GAMELAN_DEBIAN_SUITE and calls
# cpack. dpkg-shlibdeps names the libraries; the rest is what the programs call and what Python imports.
set(GAMELAN_DEBIAN_SUITE "" CACHE STRING "The Debian that a package is made for, such as deb12; empty: no package")
if(NOT GAMELAN_DEBIAN_SUITE)
  return()
endif()

# Below dist-packages would be Debian's NumPy too, which the kernel must not put before that of a venv.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/installed/gamelan.pth CONTENT "${CMAKE_INSTALL_PREFIX}/${GAMELAN_INSTALL_PYTHON}\n")
install(FILES ${CMAKE_BINARY_DIR}/installed/gamelan.pth DESTINATION lib/python3/dist-packages)

math(EXPR gamelan_next_minor "${Python_VERSION_MINOR} + 1")
set(gamelan_python "${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}")
set(gamelan_next_python "${Python_VERSION_MAJOR}.${gamelan_next_minor}")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gamelan)
set(CPACK_PACKAGE_CONTACT "The Gamelan developers <gamelan@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Jupyter kernel for large NumPy arrays in an MPI job")
set(CPACK_PACKAGE_DESCRIPTION "You write NumPy in a notebook or a script; the arrays live in the processes of an MPI job, which compute with them.")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE "1+${GAMELAN_DEBIAN_SUITE}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_LIST_DIR}/debian/postinst" "${CMAKE_CURRENT_LIST_DIR}/debian/prerm")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS
  "python3 (>= ${gamelan_python}), python3 (<< ${gamelan_next_python}), libopenblas0-pthread, openmpi-bin, procps, python3-comm, python3-ipython, python3-matplotlib-inline, python3-numpy")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "jupyter-notebook, python3-ipywidgets, python3-jupyter-client, python3-matplotlib")
include(CPack)
