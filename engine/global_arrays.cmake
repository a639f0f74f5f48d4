# SPDX-License-Identifier: BSD-3-Clause
# MPI, and Global Arrays over ARMCI-MPI with what they link with: the target gamelan_ga. GA and ARMCI must be static: ARMCI's
# weak names are ours to define, and its errors ours to catch, only where the linker sees the calls. Debian's names first, then
# anybody's; with GAMELAN_FETCH_GA both are built here from their archives (fetch_global_arrays.cmake).
set(GAMELAN_MPI openmpi CACHE STRING "The family of the MPI: openmpi, or mpich with all that share its ABI (Intel's, Cray's)")
set_property(CACHE GAMELAN_MPI PROPERTY STRINGS openmpi mpich)
option(GAMELAN_FETCH_GA "Build Global Arrays and ARMCI-MPI from GAMELAN_GA_SOURCE and GAMELAN_ARMCI_SOURCE" OFF)

set(MPI_CXX_SKIP_MPICXX ON)
set(MPI_C_SKIP_MPICXX ON)
find_program(gamelan_debian_mpicxx mpicxx.${GAMELAN_MPI} NO_CACHE)
if(gamelan_debian_mpicxx AND NOT DEFINED MPI_EXECUTABLE_SUFFIX)
  set(MPI_EXECUTABLE_SUFFIX .${GAMELAN_MPI})
endif()
find_package(MPI REQUIRED COMPONENTS C CXX)

# Headers of one family and libraries of another compile, link, and end at the first call.
set(gamelan_mpi_macro_openmpi OPEN_MPI)
set(gamelan_mpi_macro_mpich MPICH_VERSION)  # Intel's and Cray's define it, too
if(NOT DEFINED gamelan_mpi_macro_${GAMELAN_MPI})
  message(FATAL_ERROR "GAMELAN_MPI is ${GAMELAN_MPI}: expected openmpi or mpich")
endif()
include(CheckSymbolExists)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_symbol_exists(${gamelan_mpi_macro_${GAMELAN_MPI}} mpi.h GAMELAN_MPI_IS_${GAMELAN_MPI})
unset(CMAKE_REQUIRED_LIBRARIES)
if(NOT GAMELAN_MPI_IS_${GAMELAN_MPI})
  message(FATAL_ERROR "GAMELAN_MPI is ${GAMELAN_MPI}, and ${MPI_CXX_COMPILER} belongs to another MPI: choose the other "
    "family (-DGAMELAN_MPI=openmpi or mpich) or name its compiler (-DMPI_CXX_COMPILER=/path/to/mpicxx)")
endif()

find_library(GAMELAN_SCALAPACK NAMES scalapack-${GAMELAN_MPI} scalapack REQUIRED)
find_library(GAMELAN_BLAS openblas REQUIRED)
find_library(GAMELAN_LAPACK NAMES lapack openblas REQUIRED)
if(GAMELAN_FETCH_GA)
  include(fetch_global_arrays.cmake)  # the same two variables, and the headers
else()
  find_library(GAMELAN_GA NAMES libga-${GAMELAN_MPI}.a libga.a)
  find_library(GAMELAN_ARMCI NAMES libarmci-${GAMELAN_MPI}.a libarmci.a)
  if(NOT GAMELAN_GA OR NOT GAMELAN_ARMCI)
    message(FATAL_ERROR "Static Global Arrays on ARMCI-MPI for ${GAMELAN_MPI} were not found (Debian: libglobalarrays-dev "
      "libarmci-mpi-dev). Name them (-DGAMELAN_GA=.../libga.a -DGAMELAN_ARMCI=.../libarmci.a), or build them here from "
      "their archives: -DGAMELAN_FETCH_GA=ON -DGAMELAN_GA_SOURCE=ga-5.9.2.tar.gz -DGAMELAN_ARMCI_SOURCE=armci-mpi-0.4.tar.gz")
  endif()
endif()
add_library(gamelan_ga INTERFACE)
target_link_libraries(gamelan_ga INTERFACE
  ${GAMELAN_GA} ${GAMELAN_SCALAPACK} ${GAMELAN_LAPACK} ${GAMELAN_ARMCI} ${GAMELAN_BLAS} gfortran m MPI::MPI_CXX)
if(GAMELAN_FETCH_GA)
  target_include_directories(gamelan_ga SYSTEM INTERFACE ${GAMELAN_GA_HEADERS})
  add_dependencies(gamelan_ga gamelan_fetched_ga)
endif()
