# SPDX-License-Identifier: BSD-3-Clause
# Newer versions than Spack's own recipe has: Debian 12 and 13 have these two, and Gamelan is tried with both.
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Xeus(CMakePackage):
    """Jupyter's kernel protocol in C++."""

    homepage = "https://github.com/jupyter-xeus/xeus"
    url = "https://github.com/jupyter-xeus/xeus/archive/refs/tags/5.1.1.tar.gz"

    license("BSD-3-Clause")

    version("5.1.1", sha256="46643f1232a009ef64dc25e7c85da32194bff0c09792f7e56e1bdde2d6f0e948")
    version("2.4.1", sha256="4d567444fd0cbe9774d8e6480470728aa076c8acc9348dd3b2cd20d9142835ee")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.8:", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("nlohmann-json@3.11:3")
    depends_on("util-linux-uuid")
    with when("@:2"):
        depends_on("xtl@0.7.0:0.7")
        depends_on("libzmq@4.3.2:")
        depends_on("cppzmq@4.7.1:")
        depends_on("openssl@1.0.1:")

    def cmake_args(self):
        return [
            self.define("XEUS_BUILD_SHARED_LIBS", True),
            self.define("XEUS_BUILD_STATIC_LIBS", False),
            self.define("XEUS_BUILD_TESTS", False),
        ]
