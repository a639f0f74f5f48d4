# SPDX-License-Identifier: BSD-3-Clause
# What Spack needs to know to build Gamelan. Which of the packages named here a site must bring along is in
# deploy/spack/README.md; tests/house/recipes_test.py holds this file against the build it drives.
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Gamelan(CMakePackage):
    """NumPy in a notebook, computed by all ranks of an MPI job: a Jupyter kernel, a Python package, and engines on Global
    Arrays."""

    # Published nowhere yet: `spack develop` names a source tree. Spack wants a source for every version.
    homepage = "https://gamelan.invalid"
    git = "https://gamelan.invalid/gamelan.git"

    license("BSD-3-Clause")

    # From a source tree: spack develop --path /path/to/gamelan gamelan@main
    version("main", branch="main")

    variant("kernel", default=True, description="The notebook kernel; scripts and other kernels do without")
    variant("xbyak", default=True, description="Compile hot programs to machine code; interpret them all otherwise")
    variant(
        "global_arrays",
        default="archives",
        values=("archives", "external"),
        multi=False,
        description="Global Arrays on ARMCI-MPI: built with Gamelan from their archives, or packages of the site",
    )

    generator("ninja")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")

    # Engines. Global Arrays must be static and lie on ARMCI-MPI, which Spack's own package cannot be told.
    depends_on("mpi")
    requires("^[virtuals=mpi] openmpi@4.1:5", "^[virtuals=mpi] mpich@4:", policy="one_of")
    with when("global_arrays=archives"):
        depends_on("autoconf", type="build")
        depends_on("automake", type="build")
        depends_on("libtool", type="build")
        depends_on("m4", type="build")
        depends_on("gmake", type="build")
        resource(
            name="ga",
            url="https://github.com/GlobalArrays/ga/archive/refs/tags/v5.9.2.tar.gz",
            sha256="6ccae41744e0a293be2ccd56b698c3919098c001c52fda489716d2cff0b44c02",
            placement="ga-source",
        )
        resource(
            name="armci-mpi",
            url="https://github.com/pmodels/armci-mpi/archive/refs/tags/v0.4.tar.gz",
            sha256="bcc3bb189b23bf653dcc69bc469eb86eae5ebc5ad94ab5f83e52ddbdbbebf1b1",
            placement="armci-source",
        )
    with when("global_arrays=external"):
        depends_on("globalarrays@5.8:")
        depends_on("armcimpi~shared")
    depends_on("netlib-scalapack@2.2:")
    depends_on("openblas")
    depends_on("fftw@3.3:~mpi precision=double")
    depends_on("hdf5@1.10.7:1")
    depends_on("c-blosc@1.21:")
    depends_on("zlib-api")

    depends_on("xbyak@6.68:", type="build", when="+xbyak")

    # Both sides. CURVE needs libsodium, and so do the nodes of a job to know each other.
    depends_on("libsodium@1.0.18:")
    depends_on("libzmq@4.3.4:+libsodium")
    depends_on("cppzmq@4.9:")
    depends_on("nlohmann-json@3.11:")

    depends_on("python@3.11:", type=("build", "link", "run"))
    depends_on("py-numpy@1.24:2", type=("build", "run"))
    depends_on("py-pybind11@2.10:2", type="build")

    with when("+kernel"):
        depends_on("xeus@2.4:5")
        depends_on("xtl@0.7", when="^xeus@:2")
        depends_on("util-linux-uuid")
        depends_on("py-ipython@8:", type="run")
        depends_on("py-comm", type="run")
        depends_on("py-ipywidgets", type="run")
        depends_on("py-jupyter-client", type="run")

    # libmvec, and loops for AVX2 and AVX-512.
    requires("target=x86_64:")
    requires("%gcc@12:", msg="C++20 as g++ 12 has it, and glibc's vector functions by its calls")

    def cmake_args(self):
        is_openmpi = self.spec.satisfies("^[virtuals=mpi] openmpi")
        args = [
            self.define("Python_EXECUTABLE", python.path),
            self.define("BUILD_TESTING", False),
            self.define_from_variant("GAMELAN_KERNEL", "kernel"),
            self.define("GAMELAN_MPI", "openmpi" if is_openmpi else "mpich"),
        ]
        if self.spec.satisfies("global_arrays=archives"):
            args.append(self.define("GAMELAN_FETCH_GA", True))
            args.append(self.define("GAMELAN_GA_SOURCE", join_path(self.stage.source_path, "ga-source")))
            args.append(self.define("GAMELAN_ARMCI_SOURCE", join_path(self.stage.source_path, "armci-source")))
        if self.spec.satisfies("~xbyak"):
            args.append(self.define("GAMELAN_XBYAK", False))
        return args

    @run_after("install")
    def name_the_python(self):
        filter_file(r"^#!.*python3$", "#!" + python.path, self.prefix.bin.gamelan)

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        env.prepend_path("PYTHONPATH", join_path(self.prefix, "lib", "python3", "dist-packages"))
        env.prepend_path("JUPYTER_PATH", self.prefix.share.jupyter)
        env.set("GAMELAN_MPIEXEC", join_path(self.spec["mpi"].prefix.bin, "mpiexec"))
