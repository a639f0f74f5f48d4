// SPDX-License-Identifier: BSD-3-Clause
// Declarations of ScaLAPACK's and BLACS's functions, because Debian has no header for them. The real and the
// complex version of each get one name.
#pragma once
#include <mpi.h>

#include <complex>

#include "engine/steps/linalg/real_and_complex.hpp"

extern "C" {
int Csys2blacs_handle(MPI_Comm comm);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);

#define GAMELAN_SCALAPACK(p, T, o)                                                                          \
  void p##gesv_(const int*, const int*, T*, const int*, const int*, const int*, int*, T*, const int*,       \
                const int*, const int*, int*);                                                              \
  void p##getrf_(const int*, const int*, T*, const int*, const int*, const int*, int*, int*);               \
  void p##getri_(const int*, T*, const int*, const int*, const int*, const int*, T*, const int*, int*,      \
                 const int*, int*);                                                                         \
  void p##potrf_(const char*, const int*, T*, const int*, const int*, const int*, int*);                    \
  void p##geqrf_(const int*, const int*, T*, const int*, const int*, const int*, T*, T*, const int*, int*); \
  void p##o##gqr_(const int*, const int*, const int*, T*, const int*, const int*, const int*, const T*, T*, \
                  const int*, int*);
GAMELAN_SCALAPACK(pd, double, or)
GAMELAN_SCALAPACK(pz, std::complex<double>, un)
#undef GAMELAN_SCALAPACK

void pdgesvd_(const char*, const char*, const int*, const int*, double*, const int*, const int*, const int*,
              double*, double*, const int*, const int*, const int*, double*, const int*, const int*,
              const int*, double*, const int*, int*);
void pzgesvd_(const char*, const char*, const int*, const int*, std::complex<double>*, const int*, const int*,
              const int*, double*, std::complex<double>*, const int*, const int*, const int*,
              std::complex<double>*, const int*, const int*, const int*, std::complex<double>*, const int*,
              double*, int*);
void pdsyevd_(const char*, const char*, const int*, double*, const int*, const int*, const int*, double*,
              double*, const int*, const int*, const int*, double*, const int*, int*, const int*, int*);
void pzheevd_(const char*, const char*, const int*, std::complex<double>*, const int*, const int*, const int*,
              double*, std::complex<double>*, const int*, const int*, const int*, std::complex<double>*,
              const int*, double*, const int*, int*, const int*, int*);
void pdsyev_(const char*, const char*, const int*, double*, const int*, const int*, const int*, double*,
             double*, const int*, const int*, const int*, double*, const int*, int*);
void pzheev_(const char*, const char*, const int*, std::complex<double>*, const int*, const int*, const int*,
             double*, std::complex<double>*, const int*, const int*, const int*, std::complex<double>*,
             const int*, double*, const int*, int*);
void Cdgsum2d(int, const char*, const char*, int, int, double*, int, int, int);
void Czgsum2d(int, const char*, const char*, int, int, std::complex<double>*, int, int, int);
}

namespace gamelan::engine::steps::scalapack {

GAMELAN_NAME(gesv, pdgesv_, pzgesv_)
GAMELAN_NAME(getrf, pdgetrf_, pzgetrf_)
GAMELAN_NAME(getri, pdgetri_, pzgetri_)
GAMELAN_NAME(potrf, pdpotrf_, pzpotrf_)
GAMELAN_NAME(geqrf, pdgeqrf_, pzgeqrf_)
GAMELAN_NAME(orgqr, pdorgqr_, pzungqr_)
GAMELAN_NAME(gesvd, pdgesvd_, pzgesvd_)
GAMELAN_NAME(syevd, pdsyevd_, pzheevd_)
GAMELAN_NAME(syev, pdsyev_, pzheev_)
GAMELAN_NAME(gsum2d, Cdgsum2d, Czgsum2d)

}  // namespace gamelan::engine::steps::scalapack
