# SPDX-License-Identifier: BSD-3-Clause
# gamelan-kernel, its Python package and its kernelspec; a build leaves all three in the places of an installation.
find_package(xeus 2.4 REQUIRED)
pkg_check_modules(libsodium REQUIRED IMPORTED_TARGET libsodium)

# The program is libc alone and loads the rest, so that it can say which library is not there (front/start.c).
add_executable(gamelan-kernel front/start.c)
target_link_libraries(gamelan-kernel PRIVATE gamelan_options ${CMAKE_DL_LIBS})
add_library(gamelan-front MODULE
  front/main.cpp front/environment.cpp front/interpreter.cpp front/interrupt.cpp front/output.cpp front/publisher.cpp front/python_comm.cpp front/python_io.cpp
  front/server.cpp front/wire.cpp)
set_target_properties(gamelan-front PROPERTIES
  PREFIX "" OUTPUT_NAME gamelan-kernel LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/gamelan)
add_dependencies(gamelan-kernel gamelan-front)
target_link_libraries(gamelan-front PRIVATE gamelan_options xeus pybind11::embed cppzmq PkgConfig::libsodium Threads::Threads)
target_compile_definitions(gamelan-front PRIVATE GAMELAN_VERSION="${PROJECT_VERSION}")
# Only this file knows a prefix: a wheel's is known when it is installed.
set(gamelan_places GAMELAN_BUILT_WITH_PYTHON="${Python_EXECUTABLE}")
if(NOT SKBUILD)
  list(APPEND gamelan_places GAMELAN_INSTALL_PYTHON="${GAMELAN_INSTALL_PYTHON}")
endif()
set_source_files_properties(front/environment.cpp PROPERTIES COMPILE_DEFINITIONS "${gamelan_places}")

# The package is linked, not copied: an edit is live at the next kernel start.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/python)
file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/gamelan_kernel ${CMAKE_BINARY_DIR}/python/gamelan_kernel SYMBOLIC)

set(GAMELAN_KERNEL_EXECUTABLE ${CMAKE_BINARY_DIR}/bin/gamelan-kernel)
configure_file(${CMAKE_SOURCE_DIR}/deploy/kernel.json.in
  ${CMAKE_BINARY_DIR}/share/jupyter/kernels/gamelan/kernel.json @ONLY)

install(TARGETS gamelan-kernel RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS gamelan-front LIBRARY DESTINATION ${GAMELAN_INSTALL_LIB}/gamelan)
install(DIRECTORY gamelan_kernel DESTINATION ${GAMELAN_INSTALL_PYTHON} FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
# The kernelspec names the program's place, known only when the prefix is.
install(CODE "
  set(GAMELAN_KERNEL_EXECUTABLE \"${gamelan_installed_kernel}\")
  configure_file(\"${CMAKE_SOURCE_DIR}/deploy/kernel.json.in\" \"${CMAKE_BINARY_DIR}/installed/kernel.json\" @ONLY)")
install(FILES ${CMAKE_BINARY_DIR}/installed/kernel.json DESTINATION ${GAMELAN_INSTALL_SHARE}/jupyter/kernels/gamelan)
