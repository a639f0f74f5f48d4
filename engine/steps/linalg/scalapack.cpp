// SPDX-License-Identifier: BSD-3-Clause
#include "engine/steps/linalg/scalapack.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/steps/linalg/lapack.hpp"
#include "engine/steps/linalg/scalapack_calls.hpp"
#include "engine/steps/linalg/work_memory.hpp"
#include "protocol/error.hpp"

namespace gamelan::engine::steps {
namespace {

using namespace scalapack;
using distribution::Cyclic;
using protocol::Dtype;
using protocol::Linalg;

/// BLACS's number of a grid of the first ranks; negative on the others. Made once per grid, with a
/// communicator of its own. Collective over all ranks.
int blacs_context_of(Comm& comm, const Cyclic& blocks) {
  static MPI_Comm own = MPI_COMM_NULL;
  static std::map<std::pair<int, int>, int> contexts;
  if (own == MPI_COMM_NULL) MPI_Comm_dup(comm.world(), &own);
  const auto [found, is_new] = contexts.try_emplace({blocks.grid_rows, blocks.grid_columns}, -1);
  if (is_new) {
    int blacs = Csys2blacs_handle(own);
    Cblacs_gridinit(&blacs, "Row", blocks.grid_rows, blocks.grid_columns);
    found->second = blocks.takes_part(comm.rank()) ? blacs : -1;
  }
  return found->second;
}

template <class T>
class Together {
 public:
  static constexpr bool is_complex = !std::is_same_v<T, double>;

  Together(Comm& comm, const BlockedTask& task, int blacs)
      : comm_(comm),
        task_(task),
        blacs_(blacs),
        m_(lapack_int(task.a_blocks.rows)),
        n_(lapack_int(task.a_blocks.columns)),
        k_(std::min(m_, n_)),
        a_(static_cast<T*>(task.a)),
        a_is_(described(task.a_blocks)) {}

  void run() {
    switch (task_.routine) {
      case Linalg::solve:
        return solve();
      case Linalg::inverse:
        return inverse();
      case Linalg::slogdet:
        return slogdet();
      case Linalg::cholesky:
        return cholesky();
      case Linalg::qr:
        return qr();
      case Linalg::svd:
        return svd(true);
      case Linalg::svd_values:
        return svd(false);
      case Linalg::eigh:
        return eigh();
      case Linalg::eigh_values:
        return eigh_values();
      case Linalg::qr_factors:
      case Linalg::eig:
      case Linalg::eig_values:
      case Linalg::least_squares:
        return;  // the plan has no such step
    }
  }

 private:
  using Description = std::array<int, 9>;

  bool is_in_grid() const { return blacs_ >= 0; }
  Description described(const Cyclic& blocks) const {
    return {1,
            blacs_,
            lapack_int(blocks.rows),
            lapack_int(blocks.columns),
            lapack_int(blocks.block),
            lapack_int(blocks.block),
            0,
            0,
            lapack_int(blocks.leading(comm_.rank()))};
  }
  T* made(int i) const { return static_cast<T*>(task_.made[i]); }
  /// Throws on all ranks when a routine has failed. Collective over all ranks, because those outside the grid
  /// do not know.
  void check(int info) {
    if (comm_.agree_max(info != 0 ? 1 : 0) != 0) throw_failure(task_.routine);
  }

  /// Allocates on all ranks or on none, and then calls: a rank that cannot must not leave others waiting in
  /// the routine. Throws on all ranks alike.
  template <class Allocate, class Call>
  void together(Allocate allocate, Call call) {
    std::optional<protocol::Error> cause;
    try {
      if (is_in_grid()) allocate();
    } catch (const protocol::Error& error) {
      cause = error;
    } catch (const std::exception& error) {  // bad_alloc, or a length that no vector has
      cause = protocol::Error(protocol::ErrorKind::memory,
                              std::string("[linalg] no work memory for the library: ") + error.what());
    }
    comm_.throw_together(cause);
    if (is_in_grid()) call();
  }

  void make_pivots() {
    pivots_.resize(static_cast<std::size_t>(task_.a_blocks.local_rows(comm_.rank()) + task_.a_blocks.block));
  }

  void factor(int& info) { getrf<T>(&n_, &n_, a_, &one, &one, a_is_.data(), pivots_.data(), &info); }

  void solve() {
    const int right = lapack_int(task_.b_blocks.columns);
    const auto b_is = described(task_.b_blocks);
    int info = 0;
    together([&] { make_pivots(); },
             [&] {
               gesv<T>(&n_, &right, a_, &one, &one, a_is_.data(), pivots_.data(), static_cast<T*>(task_.b),
                       &one, &one, b_is.data(), &info);
             });
    check(info);
  }

  void inverse() {
    int info = 0;
    together([&] { make_pivots(); }, [&] { factor(info); });
    check(info);
    std::vector<T> work(1);
    std::vector<int> integers(1);
    int size = -1, integers_size = -1;
    const auto call = [&] {
      getri<T>(&n_, a_, &one, &one, a_is_.data(), pivots_.data(), work.data(), &size, integers.data(),
               &integers_size, &info);
    };
    together([] {}, call);
    together(
        [&] {
          size = make_work(work, std::real(work[0]));
          integers_size = make_work(integers, integers[0]);
        },
        call);
    check(info);
  }

  /// Every rank contributes the elements of the diagonal that it has; then all multiply them in the same
  /// order.
  void slogdet() {
    int info = 0;
    std::vector<T> diagonal;
    together(
        [&] {
          make_pivots();
          diagonal.assign(static_cast<std::size_t>(n_) + 1, T(0));
        },
        [&] { factor(info); });
    if (!is_in_grid()) return;
    const auto& blocks = task_.a_blocks;
    const int row = blocks.row_of(comm_.rank()), column = blocks.column_of(comm_.rank());
    std::int64_t local_row = 0;
    for (std::int64_t i = row * blocks.block; i < blocks.rows; i += blocks.block * blocks.grid_rows)
      for (std::int64_t r = i; r < std::min(i + blocks.block, blocks.rows); ++r, ++local_row) {
        if (column == 0 && pivots_[static_cast<std::size_t>(local_row)] != r + 1) diagonal.back() += T(1);
        const auto block = r / blocks.block;
        if (block % blocks.grid_columns != column) continue;
        const auto local_column = block / blocks.grid_columns * blocks.block + r % blocks.block;
        diagonal[static_cast<std::size_t>(r)] = a_[local_row + local_column * blocks.leading(comm_.rank())];
      }
    gsum2d<T>(blacs_, "All", " ", 1, n_ + 1, diagonal.data(), 1, -1, -1);
    T sign = std::fmod(std::real(diagonal.back()), 2) != 0 ? T(-1) : T(1);
    double log = 0;
    for (int i = 0; i < n_; ++i) {
      const T element = diagonal[static_cast<std::size_t>(i)];
      const double size = std::abs(element);
      if constexpr (is_complex)
        sign *= element / size;
      else if (element < 0)
        sign = -sign;
      log += std::log(size);
    }
    if (comm_.rank() != 0) return;
    made(0)[0] = info > 0 ? T(0) : sign;
    made(0)[1] = info > 0 ? T(-std::numeric_limits<double>::infinity()) : T(log);
  }

  void cholesky() {
    int info = 0;
    together([] {}, [&] { potrf<T>("L", &n_, a_, &one, &one, a_is_.data(), &info); });
    check(info);
  }

  void qr() {
    int info = 0, size = -1;
    std::vector<T> work(1), factors;
    const auto reflect = [&] {
      geqrf<T>(&m_, &n_, a_, &one, &one, a_is_.data(), factors.data(), work.data(), &size, &info);
    };
    together(
        [&] {
          factors.resize(
              static_cast<std::size_t>(task_.a_blocks.local_columns(comm_.rank()) + task_.a_blocks.block));
        },
        reflect);
    together([&] { size = make_work(work, std::real(work[0])); }, reflect);
    check(info);
    const auto q_is = described(task_.made_blocks[0]);
    const int columns = q_is[3];
    size = -1;
    if (is_in_grid()) {
      const auto shared = std::min(task_.a_blocks.local_columns(comm_.rank()),
                                   task_.made_blocks[0].local_columns(comm_.rank()));
      std::copy(a_, a_ + task_.a_blocks.leading(comm_.rank()) * shared, made(0));
    }
    const auto expand = [&] {
      orgqr<T>(&m_, &columns, &k_, made(0), &one, &one, q_is.data(), factors.data(), work.data(), &size,
               &info);
    };
    together([] {}, expand);
    together([&] { size = make_work(work, std::real(work[0])); }, expand);
    check(info);
  }

  /// Throws when an element is not finite: ScaLAPACK's iterations might never end. LAPACK reports that they
  /// do not converge.
  void require_finite() {
    bool is_finite = true;
    if (is_in_grid()) {
      const auto rows = task_.a_blocks.local_rows(comm_.rank());
      const auto count = rows * task_.a_blocks.local_columns(comm_.rank());
      for (std::int64_t i = 0; i < count; ++i) is_finite &= std::isfinite(std::abs(a_[i]));
    }
    if (comm_.agree_min(is_finite ? 1 : 0) == 0) throw_failure(task_.routine);
  }

  void svd(bool has_vectors) {
    require_finite();
    const char* job = has_vectors ? "V" : "N";
    const auto u_is = has_vectors ? described(task_.made_blocks[0]) : a_is_,
               v_is = has_vectors ? described(task_.made_blocks[1]) : a_is_;
    T nothing{};
    T *u = has_vectors ? made(0) : &nothing, *v = has_vectors ? made(1) : &nothing;
    std::vector<double> values, reals;
    std::vector<T> work(1);
    int size = -1, info = 0;
    const auto call = [&] {
      if constexpr (is_complex)
        gesvd<T>(job, job, &m_, &n_, a_, &one, &one, a_is_.data(), values.data(), u, &one, &one, u_is.data(),
                 v, &one, &one, v_is.data(), work.data(), &size, reals.data(), &info);
      else
        gesvd<T>(job, job, &m_, &n_, a_, &one, &one, a_is_.data(), values.data(), u, &one, &one, u_is.data(),
                 v, &one, &one, v_is.data(), work.data(), &size, &info);
    };
    together(
        [&] {
          values.resize(static_cast<std::size_t>(k_));
          if constexpr (is_complex) reals.resize(static_cast<std::size_t>(1 + 4 * std::max(m_, n_)));
        },
        call);
    together([&] { size = make_work(work, std::real(work[0])); }, call);
    check(info);
    give(values, has_vectors ? 2 : 0);
  }

  void eigh() {
    require_finite();
    const char* triangle = task_.flag ? "L" : "U";
    const auto vectors_are = described(task_.made_blocks[0]);
    std::vector<double> values, reals(1);
    std::vector<T> work(1);
    std::vector<int> integers(1);
    int size = -1, reals_size = -1, integers_size = -1, info = 0;
    const auto call = [&] {
      if constexpr (is_complex)
        syevd<T>("V", triangle, &n_, a_, &one, &one, a_is_.data(), values.data(), made(0), &one, &one,
                 vectors_are.data(), work.data(), &size, reals.data(), &reals_size, integers.data(),
                 &integers_size, &info);
      else
        syevd<T>("V", triangle, &n_, a_, &one, &one, a_is_.data(), values.data(), made(0), &one, &one,
                 vectors_are.data(), work.data(), &size, integers.data(), &integers_size, &info);
    };
    together([&] { values.resize(static_cast<std::size_t>(n_)); }, call);
    together(
        [&] {
          size = make_work(work, std::real(work[0]));
          reals_size = make_work(reals, reals[0]);
          integers_size = make_work(integers, std::max(integers[0], 7 * n_ + 8 * task_.a_blocks.grid_columns +
                                                                        2));  // some releases ask for too few
        },
        call);
    check(info);
    give(values, 1);
  }

  void eigh_values() {
    require_finite();
    const char* triangle = task_.flag ? "L" : "U";
    std::vector<double> values, reals(1);
    std::vector<T> work(1);
    T nothing{};
    int size = -1, reals_size = -1, info = 0;
    const auto call = [&] {
      if constexpr (is_complex)
        syev<T>("N", triangle, &n_, a_, &one, &one, a_is_.data(), values.data(), &nothing, &one, &one,
                a_is_.data(), work.data(), &size, reals.data(), &reals_size, &info);
      else
        syev<T>("N", triangle, &n_, a_, &one, &one, a_is_.data(), values.data(), &nothing, &one, &one,
                a_is_.data(), work.data(), &size, &info);
    };
    together([&] { values.resize(static_cast<std::size_t>(n_)); }, call);
    together(
        [&] {
          size = make_work(work, std::real(work[0]));
          reals_size = make_work(reals, std::max(reals[0], 4.0 * n_));  // some releases ask for too few
        },
        call);
    check(info);
    give(values, 0);
  }

  /// Writes numbers that rank 0 has, and every other rank too, into result i.
  void give(const std::vector<double>& values, int i) {
    if (comm_.rank() == 0) std::copy(values.begin(), values.end(), made(i));
  }

  template <class Element, class Wanted>
  int make_work(std::vector<Element>& work, Wanted wanted) {
    work.resize(
        static_cast<std::size_t>(admitted<Element>(static_cast<double>(wanted), comm_.ranks_on_node())));
    return static_cast<int>(work.size());
  }

  static constexpr int one = 1;
  Comm& comm_;
  const BlockedTask& task_;
  int blacs_, m_, n_, k_;
  T* a_;
  Description a_is_;
  std::vector<int> pivots_;
};

}  // namespace

void compute_together(Comm& comm, const BlockedTask& task) {
  const int blacs = blacs_context_of(comm, task.a_blocks);
  if (task.loop == Dtype::float64) return Together<double>(comm, task, blacs).run();
  return Together<std::complex<double>>(comm, task, blacs).run();
}

}  // namespace gamelan::engine::steps
