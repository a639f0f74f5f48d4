# SPDX-License-Identifier: BSD-3-Clause
# The command `gamelan`, in the build as installed, and the job script it hands to Slurm.
set(gamelan_shebang ${Python_EXECUTABLE})
string(LENGTH "#!${gamelan_shebang}" gamelan_shebang_length)
# Linux ends the first line at a space and after 127 bytes: then the shell starts the Python, in a line that Python takes for a
# text. In a wheel, pip does it.
if(NOT SKBUILD AND (gamelan_shebang MATCHES "[ \t]" OR gamelan_shebang_length GREATER 127))
  set(gamelan_shebang "/bin/sh\n'''exec' \"${Python_EXECUTABLE}\" \"$0\" \"$@\"\n' '''")
endif()
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/gamelan-command ${CMAKE_BINARY_DIR}/bin/gamelan @ONLY
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
install(PROGRAMS ${CMAKE_BINARY_DIR}/bin/gamelan DESTINATION ${CMAKE_INSTALL_BINDIR})
install(PROGRAMS ${CMAKE_SOURCE_DIR}/deploy/slurm/gamelan.sbatch DESTINATION ${GAMELAN_INSTALL_SHARE}/gamelan/slurm)
# The module file holds absolute paths, known only when the prefix is.
if(NOT SKBUILD)
  install(CODE "
    set(PROJECT_VERSION ${PROJECT_VERSION})
    set(CMAKE_INSTALL_BINDIR ${CMAKE_INSTALL_BINDIR})
    set(GAMELAN_INSTALL_PYTHON \"${GAMELAN_INSTALL_PYTHON}\")
    cmake_path(ABSOLUTE_PATH GAMELAN_INSTALL_PYTHON BASE_DIRECTORY \"\${CMAKE_INSTALL_PREFIX}\")
    configure_file(\"${CMAKE_SOURCE_DIR}/deploy/modulefile.in\" \"${CMAKE_BINARY_DIR}/installed/modulefile\" @ONLY)")
  install(FILES ${CMAKE_BINARY_DIR}/installed/modulefile DESTINATION share/gamelan/modulefiles/gamelan RENAME ${PROJECT_VERSION})
endif()
