// SPDX-License-Identifier: BSD-3-Clause
// The routines of LAPACK that lapack.cpp calls, for double and complex numbers under one name.
#pragma once
#include <complex>

#include "engine/steps/linalg/real_and_complex.hpp"

extern "C" {
#define GAMELAN_LAPACK(p, T, o)                                                      \
  void p##gesv_(const int*, const int*, T*, const int*, int*, T*, const int*, int*); \
  void p##getrf_(const int*, const int*, T*, const int*, int*, int*);                \
  void p##getri_(const int*, T*, const int*, const int*, T*, const int*, int*);      \
  void p##potrf_(const char*, const int*, T*, const int*, int*);                     \
  void p##geqrf_(const int*, const int*, T*, const int*, T*, T*, const int*, int*);  \
  void p##o##gqr_(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*);
GAMELAN_LAPACK(d, double, or)
GAMELAN_LAPACK(z, std::complex<double>, un)
#undef GAMELAN_LAPACK
void dgesdd_(const char*, const int*, const int*, double*, const int*, double*, double*, const int*, double*,
             const int*, double*, const int*, int*, int*);
void zgesdd_(const char*, const int*, const int*, std::complex<double>*, const int*, double*,
             std::complex<double>*, const int*, std::complex<double>*, const int*, std::complex<double>*,
             const int*, double*, int*, int*);
void dgelsd_(const int*, const int*, const int*, double*, const int*, double*, const int*, double*,
             const double*, int*, double*, const int*, int*, int*);
void zgelsd_(const int*, const int*, const int*, std::complex<double>*, const int*, std::complex<double>*,
             const int*, double*, const double*, int*, std::complex<double>*, const int*, double*, int*,
             int*);
void dsyevd_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*, int*,
             const int*, int*);
void zheevd_(const char*, const char*, const int*, std::complex<double>*, const int*, double*,
             std::complex<double>*, const int*, double*, const int*, int*, const int*, int*);
void dgeev_(const char*, const char*, const int*, double*, const int*, double*, double*, double*, const int*,
            double*, const int*, double*, const int*, int*);
void zgeev_(const char*, const char*, const int*, std::complex<double>*, const int*, std::complex<double>*,
            std::complex<double>*, const int*, std::complex<double>*, const int*, std::complex<double>*,
            const int*, double*, int*);
}

namespace gamelan::engine::steps {

GAMELAN_NAME(gesv, dgesv_, zgesv_)
GAMELAN_NAME(getrf, dgetrf_, zgetrf_)
GAMELAN_NAME(getri, dgetri_, zgetri_)
GAMELAN_NAME(potrf, dpotrf_, zpotrf_)
GAMELAN_NAME(geqrf, dgeqrf_, zgeqrf_)
GAMELAN_NAME(orgqr, dorgqr_, zungqr_)
GAMELAN_NAME(gesdd, dgesdd_, zgesdd_)
GAMELAN_NAME(gelsd, dgelsd_, zgelsd_)
GAMELAN_NAME(syevd, dsyevd_, zheevd_)
GAMELAN_NAME(geev, dgeev_, zgeev_)

}  // namespace gamelan::engine::steps
