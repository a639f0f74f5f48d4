# SPDX-License-Identifier: BSD-3-Clause
# The command `gamelan`, in the build as installed, and the job script it hands to Slurm.
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/gamelan-command ${CMAKE_BINARY_DIR}/bin/gamelan COPYONLY)
install(PROGRAMS gamelan-command DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME gamelan)
install(PROGRAMS ${CMAKE_SOURCE_DIR}/deploy/slurm/gamelan.sbatch DESTINATION share/gamelan/slurm)
# The module file holds absolute paths, known only when the prefix is.
install(CODE "
  set(PROJECT_VERSION ${PROJECT_VERSION})
  set(CMAKE_INSTALL_BINDIR ${CMAKE_INSTALL_BINDIR})
  set(GAMELAN_INSTALL_PYTHON \"${GAMELAN_INSTALL_PYTHON}\")
  configure_file(\"${CMAKE_SOURCE_DIR}/deploy/modulefile.in\"
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/gamelan/modulefiles/gamelan/${PROJECT_VERSION}\" @ONLY)")
