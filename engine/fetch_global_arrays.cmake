# SPDX-License-Identifier: BSD-3-Clause
# ARMCI-MPI and Global Arrays, built with this build's MPI from archives (or unpacked folders) that somebody has fetched; nothing
# is downloaded. Sets GAMELAN_GA, GAMELAN_ARMCI and GAMELAN_GA_HEADERS; the target gamelan_fetched_ga builds them. Included by
# global_arrays.cmake. Archives of a tag have no configure; autoreconf makes it, which takes autoconf, automake and libtool.
include(ExternalProject)
set(GAMELAN_GA_SOURCE "" CACHE PATH "Archive or folder of Global Arrays 5.8 or 5.9, for GAMELAN_FETCH_GA")
set(GAMELAN_ARMCI_SOURCE "" CACHE PATH "Archive or folder of ARMCI-MPI 0.3.1 or newer, for GAMELAN_FETCH_GA")
foreach(source GAMELAN_GA_SOURCE GAMELAN_ARMCI_SOURCE)
  if(NOT ${source} OR NOT EXISTS "${${source}}")
    message(FATAL_ERROR "GAMELAN_FETCH_GA needs ${source}, an archive such as ga-5.9.2.tar.gz and armci-mpi-0.4.tar.gz "
      "(github.com/GlobalArrays/ga, github.com/pmodels/armci-mpi; nothing is downloaded here): '${${source}}' does not exist")
  endif()
endforeach()
find_program(gamelan_gfortran NAMES $ENV{FC} gfortran NO_CACHE)  # conda's has another name, told by FC
foreach(tool autoreconf libtoolize make gfortran)
  find_program(gamelan_${tool} ${tool} NO_CACHE)
  if(NOT gamelan_${tool})
    message(FATAL_ERROR "GAMELAN_FETCH_GA needs ${tool} (Debian: autoconf automake libtool make gfortran)")
  endif()
endforeach()
# MPI's Fortran compiler, beside its C compiler: with it GA's check for BLAS knows the names.
get_filename_component(gamelan_mpi_folder ${MPI_C_COMPILER} DIRECTORY)
find_program(gamelan_mpifort NAMES mpif77${MPI_EXECUTABLE_SUFFIX} mpifort${MPI_EXECUTABLE_SUFFIX} mpif77 mpifort ftn
  HINTS ${gamelan_mpi_folder} NO_CACHE)
if(NOT gamelan_mpifort)
  message(FATAL_ERROR "GAMELAN_FETCH_GA needs MPI's Fortran compiler: neither mpif77 nor mpifort is beside ${MPI_C_COMPILER}")
endif()

set(gamelan_ga_prefix ${CMAKE_BINARY_DIR}/global_arrays)
set(GAMELAN_GA ${gamelan_ga_prefix}/lib/libga.a)
set(GAMELAN_ARMCI ${gamelan_ga_prefix}/lib/libarmci.a)
set(GAMELAN_GA_HEADERS ${gamelan_ga_prefix}/include)
file(MAKE_DIRECTORY ${GAMELAN_GA_HEADERS})
set(gamelan_configure_words --prefix=${gamelan_ga_prefix} --libdir=${gamelan_ga_prefix}/lib --disable-shared --enable-static
  CC=${MPI_C_COMPILER} "CFLAGS=-O2 -fPIC")
# What an enclosing build exports (CXX=clang++, FC) would be other compilers than MPI's.
set(gamelan_clean ${CMAKE_COMMAND} -E env --unset=CFLAGS --unset=CPPFLAGS --unset=LDFLAGS --unset=F77 --unset=FC)

ExternalProject_Add(gamelan_fetched_armci
  URL ${GAMELAN_ARMCI_SOURCE} DOWNLOAD_EXTRACT_TIMESTAMP ON PREFIX ${gamelan_ga_prefix}/armci BUILD_IN_SOURCE ON
  CONFIGURE_COMMAND sh -c "test -x configure || ${gamelan_autoreconf} -vif"
  COMMAND ${gamelan_clean} ./configure ${gamelan_configure_words}
  BUILD_COMMAND ${gamelan_make} lib_LTLIBRARIES=libarmci.la
  INSTALL_COMMAND ${gamelan_make} install
  BUILD_BYPRODUCTS ${GAMELAN_ARMCI}
  LOG_CONFIGURE ON LOG_BUILD ON LOG_INSTALL ON LOG_OUTPUT_ON_FAILURE ON)
ExternalProject_Add(gamelan_fetched_ga
  URL ${GAMELAN_GA_SOURCE} DOWNLOAD_EXTRACT_TIMESTAMP ON PREFIX ${gamelan_ga_prefix}/ga BUILD_IN_SOURCE ON DEPENDS gamelan_fetched_armci
  CONFIGURE_COMMAND sh -c "test -x configure || ${gamelan_autoreconf} -vif"
  COMMAND ${gamelan_clean} ./configure ${gamelan_configure_words} CXX=${MPI_CXX_COMPILER} MPICC=${MPI_C_COMPILER}
    MPICXX=${MPI_CXX_COMPILER} F77=${gamelan_gfortran} MPIF77=${gamelan_mpifort} --with-armci=${gamelan_ga_prefix}
    --with-blas4=${GAMELAN_BLAS} --with-lapack=${GAMELAN_LAPACK} --with-scalapack=${GAMELAN_SCALAPACK}
  BUILD_COMMAND ${gamelan_make}
  INSTALL_COMMAND ${gamelan_make} install
  BUILD_BYPRODUCTS ${GAMELAN_GA}
  LOG_CONFIGURE ON LOG_BUILD ON LOG_INSTALL ON LOG_OUTPUT_ON_FAILURE ON)
