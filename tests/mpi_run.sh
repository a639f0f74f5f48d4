#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mpi_run.sh SECONDS RANKS PROGRAM [ARGUMENTS]: one MPI test, with our launch line, a time limit that
# ends the whole job, and a backing directory of its own that must be empty afterwards.
# MPI_TEST_FAMILY=mpich: Hydra's words instead of Open MPI's; MPICH's windows lie in /dev/shm itself, which the tmpfs then hides.
# With MPI_TEST_TCP=1 the ranks talk by TCP, as on several nodes.
# With MPI_TEST_TMPFS=SIZE the directory is a tmpfs of that size; exit code 77 (skipped) where that is not allowed.
seconds=$1 ranks=$2
shift 2
if [ -n "$MPI_TEST_TMPFS" ] && [ -z "$MPI_TEST_IN_NAMESPACE" ]; then
  flags=-m
  [ "$(id -u)" = 0 ] || flags=-rm
  if ! unshare $flags true 2>/dev/null; then
    echo "skipped: this user may not mount a tmpfs in a namespace of its own"
    exit 77
  fi
  MPI_TEST_IN_NAMESPACE=1 exec unshare $flags "$0" "$seconds" "$ranks" "$@"
fi

directory=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)/gamelan-test.XXXXXX") || exit 1
trap 'umount "$directory" 2>/dev/null; rm -rf "$directory"' EXIT
trap 'exit 1' HUP INT TERM
if [ -n "$MPI_TEST_TMPFS" ] && ! mount -t tmpfs -o "size=$MPI_TEST_TMPFS" tmpfs "$directory" 2>/dev/null; then
  echo "skipped: this user may not mount a tmpfs"
  exit 77
fi

# Open MPI keeps memory until it exits: a sanitizer must not call that a leak of ours.
export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export OPENBLAS_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
if [ "$MPI_TEST_FAMILY" = mpich ]; then
  if [ -n "$MPI_TEST_TMPFS" ] && ! mount --move "$directory" /dev/shm 2>/dev/null; then
    echo "skipped: this user may not mount over /dev/shm"
    exit 77
  fi
  export HYDRA_LAUNCHER=fork
  timeout --kill-after=10 "$seconds" "${MPI_TEST_MPIEXEC:-mpiexec.mpich}" $MPI_TEST_FLAGS -n "$ranks" "$@"
  code=$?
  [ $code = 124 ] && echo "FAILED: not done within $seconds s"
  exit $code
fi
osc=sm btl=vader,self
if [ -n "$MPI_TEST_TCP" ]; then
  btl=tcp,self
  case $(mpiexec.openmpi --version) in
    *" 4."*) osc=sm,pt2pt ;;
    *) osc=sm,rdma OMPI_MCA_btl_tcp_disable_family=6; export OMPI_MCA_btl_tcp_disable_family ;; # as gamelan.sbatch
  esac
fi
timeout --kill-after=10 "$seconds" \
  mpiexec.openmpi --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --mca osc $osc \
  --mca btl $btl --mca osc_sm_backing_directory "$directory" \
  --mca btl_vader_backing_directory "$directory" $MPI_TEST_FLAGS -np "$ranks" "$@"
code=$?
[ $code = 124 ] && echo "FAILED: not done within $seconds s"
left=$(ls -A "$directory")
if [ -n "$left" ]; then
  echo "FAILED: left behind in the backing directory: $left"
  exit 1
fi
exit $code
