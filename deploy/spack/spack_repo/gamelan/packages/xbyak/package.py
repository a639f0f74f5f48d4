# SPDX-License-Identifier: BSD-3-Clause
# Spack's own repository has none.
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Xbyak(CMakePackage):
    """An assembler for x86-64 in C++ headers, for machine code that is made while a program runs."""

    homepage = "https://github.com/herumi/xbyak"
    url = "https://github.com/herumi/xbyak/archive/v7.25.tar.gz"

    license("BSD-3-Clause")

    version("7.25", sha256="54404ca8db6a6ed340dbd6ef01699762882fd8ee4c6f1f60b437b5c6010eb784")
    version("7.24.2", sha256="0e051735f9c51d3f90b6adda21bed79b2c52f0d753980ef0e594dba73b9c4e3e")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.5:", type="build")
