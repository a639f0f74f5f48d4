# SPDX-License-Identifier: BSD-3-Clause
# gamelan-kernel, its Python package and its kernelspec; a build leaves all three in the places of an installation.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development)
find_package(pybind11 REQUIRED)
find_package(xeus 2.4 REQUIRED)
pkg_check_modules(libsodium REQUIRED IMPORTED_TARGET libsodium)

set(GAMELAN_INSTALL_PYTHON ${CMAKE_INSTALL_PREFIX}/lib/python3/dist-packages CACHE PATH
  "Where `cmake --install` puts the Python packages")

add_executable(gamelan-kernel
  front/main.cpp front/environment.cpp front/interpreter.cpp front/interrupt.cpp front/output.cpp front/publisher.cpp front/python_comm.cpp front/python_io.cpp
  front/server.cpp front/wire.cpp)
target_link_libraries(gamelan-kernel PRIVATE gamelan_options xeus pybind11::embed cppzmq PkgConfig::libsodium Threads::Threads)
target_compile_definitions(gamelan-kernel PRIVATE
  GAMELAN_VERSION="${PROJECT_VERSION}"
  GAMELAN_BUILT_WITH_PYTHON="${Python_EXECUTABLE}"
  GAMELAN_INSTALL_PYTHON="${GAMELAN_INSTALL_PYTHON}")

# The package is linked, not copied: an edit is live at the next kernel start.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/python)
file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/gamelan_kernel ${CMAKE_BINARY_DIR}/python/gamelan_kernel SYMBOLIC)

set(GAMELAN_KERNEL_EXECUTABLE ${CMAKE_BINARY_DIR}/bin/gamelan-kernel)
configure_file(${CMAKE_SOURCE_DIR}/deploy/kernel.json.in
  ${CMAKE_BINARY_DIR}/share/jupyter/kernels/gamelan/kernel.json @ONLY)

install(TARGETS gamelan-kernel RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY gamelan_kernel DESTINATION ${GAMELAN_INSTALL_PYTHON}
  PATTERN "__pycache__" EXCLUDE)
# The kernelspec holds an absolute path, known only when the prefix is.
install(CODE "
  set(GAMELAN_KERNEL_EXECUTABLE \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/gamelan-kernel\")
  configure_file(\"${CMAKE_SOURCE_DIR}/deploy/kernel.json.in\"
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/jupyter/kernels/gamelan/kernel.json\" @ONLY)")
