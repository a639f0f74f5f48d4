// SPDX-License-Identifier: BSD-3-Clause
// The heap as one Global Array that the node shares, and true GA handles laid into it: what the whole memory
// design rests on, with the GA and MPI that are installed.
#include "engine/distribution/heap.hpp"

#include <ga.h>
#include <macdecls.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "engine/distribution/huge_pages.hpp"
#include "tests/mpi_test.hpp"

namespace gamelan::engine::distribution {
namespace {

using testing::comm;
constexpr std::size_t megabyte = std::size_t{1} << 20;

template <class T>
T* at(const Heap& heap, int rank, std::size_t offset) {
  return reinterpret_cast<T*>(heap.address(rank, offset));
}

/// Allocates and commits; fails the test when there is no room.
Allocator::Block reserve(Heap& heap, std::size_t bytes) {
  const auto block = heap.allocator().allocate(bytes);
  EXPECT_TRUE(block && heap.commit(heap.allocator().take_uncommitted()));
  return block.value_or(Allocator::Block{});
}

/// An uneven distribution of n x n over all ranks: 2 x 2 blocks on 4 ranks, else rows.
struct Uneven {
  explicit Uneven(std::int64_t n) : dims{n, n} {
    const std::int64_t columns = comm().size() == 4 ? 2 : 1, rows = comm().size() / columns;
    for (std::int64_t row = 0; row < rows; ++row) map.push_back(row ? row * n / rows + 7 : 0);
    for (std::int64_t column = 0; column < columns; ++column) map.push_back(column ? n / 3 : 0);
    blocks = {rows, columns};
  }
  std::vector<std::int64_t> dims, map, blocks;
};

TEST(Heap, ranks_of_a_node_map_each_others_memory) {
  Heap heap(comm(), 16 * megabyte);
  EXPECT_EQ(heap.bytes_per_rank(), 16 * megabyte);
  const auto block = reserve(heap, megabyte);
  int mapped = 0;
  for (int rank = 0; rank < comm().size(); ++rank) {
    if (!heap.address(rank, 0)) continue;
    ++mapped;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(heap.address(rank, 0)) % page_bytes, 0u);
    at<int>(heap, rank, block.offset)[comm().rank()] = 100 * rank + comm().rank();
  }
  EXPECT_EQ(mapped, comm().ranks_on_node());
  ASSERT_NE(heap.address(comm().rank(), 0), nullptr);
  comm().barrier();
  for (int writer = 0; writer < comm().size(); ++writer) {
    if (!heap.address(writer, 0)) continue;
    EXPECT_EQ(at<int>(heap, comm().rank(), block.offset)[writer], 100 * comm().rank() + writer);
  }
}

TEST(Heap, ga_calls_reach_every_block) {
  Heap heap(comm(), 16 * megabyte);
  const auto block = reserve(heap, megabyte);
  const int to = comm().size() - 1 - comm().rank();
  const std::uint32_t word = 7000u + static_cast<std::uint32_t>(comm().rank());
  std::int64_t first = heap.ga_index(to, block.offset + 128), last = first + 3, unused = 0;
  std::uint32_t sent = word, back = 0;
  NGA_Put64(heap.handle(), &first, &last, &sent, &unused);
  GA_Sync();
  NGA_Get64(heap.handle(), &first, &last, &back, &unused);
  EXPECT_EQ(back, word);
  EXPECT_EQ(*at<std::uint32_t>(heap, comm().rank(), block.offset + 128),
            7000u + static_cast<std::uint32_t>(to));
  GA_Sync();
}

TEST(Heap, ends_of_the_heap_are_ours) {
  Heap heap(comm(), 4 * megabyte);
  const Allocator::Block all{0, 4 * megabyte, 0};
  ASSERT_TRUE(heap.commit({&all, 1}));
  auto* mine = heap.address(comm().rank(), 0);
  std::memset(mine, comm().rank() + 1, 4 * megabyte);
  comm().barrier();
  for (int rank = 0; rank < comm().size(); ++rank) {
    const auto* block = heap.address(rank, 0);
    if (!block) continue;
    EXPECT_EQ(static_cast<int>(block[0]), rank + 1);
    EXPECT_EQ(static_cast<int>(block[4 * megabyte - 1]), rank + 1);
  }
  comm().barrier();
}

TEST(Heap, placed_arrays_are_true_global_arrays) {
  Heap heap(comm(), 16 * megabyte);
  const int creates = Heap::ga_creates();
  const std::int64_t n = 300;
  const Uneven uneven(n);
  int handles[3];
  std::size_t offsets[3];
  for (int k = 0; k < 3; ++k) {
    offsets[k] = reserve(heap, static_cast<std::size_t>(n * n) * sizeof(double) + 64).offset;
    handles[k] = heap.place(C_DBL, uneven.dims, uneven.map, uneven.blocks, offsets[k]);
    double value = 1.5, weight = 2, add[4] = {1, 2, 3, 4}, got[4] = {};
    GA_Fill(handles[k], &value);
    GA_Sync();
    std::int64_t lo[2] = {n / 2 + 6, n / 3 - 1}, hi[2] = {n / 2 + 7, n / 3},
                 two = 2;  // on 4 ranks all four blocks
    NGA_Acc64(handles[k], lo, hi, add, &two, &weight);
    GA_Sync();
    NGA_Get64(handles[k], lo, hi, got, &two);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(got[i], 1.5 + 2 * comm().size() * add[i]);
    GA_Sync();
  }

  std::int64_t lo[2], hi[2], row_length = 0;
  NGA_Distribution64(handles[0], comm().rank(), lo, hi);
  const std::int64_t rows = hi[0] - lo[0] + 1, columns = hi[1] - lo[1] + 1;
  for (int k = 0; k < 2; ++k) {
    double* data = nullptr;
    NGA_Access64(handles[k], lo, hi, static_cast<void*>(&data), &row_length);
    EXPECT_EQ(data, at<double>(heap, comm().rank(), offsets[k]));
    NGA_Release64(handles[k], lo, hi);
    for (std::int64_t i = 0; i < rows;
         ++i) {  // written by plain stores: a(i,j) = i + j/1000, b = 2 I + ones in column 0
      for (std::int64_t j = 0; j < columns; ++j) {
        const auto row = static_cast<double>(lo[0] + i), column = static_cast<double>(lo[1] + j);
        data[i * columns + j] =
            k == 0 ? row + 0.001 * column : (row == column ? 2 : 0) + (column == 0 ? 1 : 0);
      }
    }
  }
  GA_Sync();
  GA_Dgemm64('n', 'n', n, n, n, 1.0, handles[0], handles[1], 0.0, handles[2]);
  std::int64_t first[2] = {n - 1, 0}, last[2] = {n - 1, n - 1}, length = n;
  std::vector<double> product(static_cast<std::size_t>(n));
  NGA_Get64(handles[2], first, last, product.data(), &length);
  double row_sum = 0;
  for (int j = 0; j < n; ++j) row_sum += static_cast<double>(n - 1) + 0.001 * j;
  EXPECT_NEAR(product[0], 2 * (n - 1) + row_sum, 1e-6);
  for (int j = 1; j < n; ++j)
    EXPECT_NEAR(product[static_cast<std::size_t>(j)], 2 * (n - 1 + 0.001 * j), 1e-9);
  GA_Sync();
  for (int handle : handles) heap.unplace(handle);
  EXPECT_EQ(Heap::ga_creates(), creates);
  EXPECT_EQ(*at<double>(heap, comm().rank(), offsets[0]),
            static_cast<double>(lo[0]) + 0.001 * static_cast<double>(lo[1]));
}

/// An element of any type that holds a small number.
template <class T>
T number(int n) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(n);
  else
    return T(static_cast<typename T::value_type>(n));
}

template <class T>
void expect_placed_at_its_offset(Heap& heap, int ga_type, std::size_t offset) {
  const std::vector<std::int64_t> dims{10 * comm().size()}, blocks{comm().size()};
  std::vector<std::int64_t> map;
  for (int rank = 0; rank < comm().size(); ++rank) map.push_back(10 * rank);
  const int handle = heap.place(ga_type, dims, map, blocks, offset);
  T value = number<T>(comm().size()), got[2] = {};
  if (ga_type == C_CHAR) {  // bytes have no arithmetic in GA
    std::fill_n(at<T>(heap, comm().rank(), offset), 10, value);
  } else {
    GA_Fill(handle, &value);
  }
  GA_Sync();
  EXPECT_EQ(*at<T>(heap, comm().rank(), offset), value);
  at<T>(heap, comm().rank(), offset)[9] = number<T>(100 + comm().rank());
  GA_Sync();
  const int next = (comm().rank() + 1) % comm().size();
  std::int64_t lo = 10 * next + 8, hi = lo + 1, unused = 0;
  NGA_Get64(handle, &lo, &hi, got, &unused);
  EXPECT_EQ(got[0], value);
  EXPECT_EQ(got[1], number<T>(100 + next));
  GA_Sync();
  heap.unplace(handle);
}

TEST(Heap, placed_data_start_at_the_offset_whatever_the_type) {
  Heap heap(comm(), megabyte);
  reserve(heap,
          64);  // GA aligns to the size of an element, against a base of its own: odd multiples of 64 must do
  for (int round = 0; round < 3; ++round) {
    const auto block = reserve(heap, 64 * (20 + static_cast<std::size_t>(round)));
    expect_placed_at_its_offset<char>(heap, C_CHAR, block.offset);
    expect_placed_at_its_offset<int>(heap, C_INT, block.offset);
    expect_placed_at_its_offset<long>(heap, C_LONG, block.offset);
    expect_placed_at_its_offset<float>(heap, C_FLOAT, block.offset);
    expect_placed_at_its_offset<double>(heap, C_DBL, block.offset);
    expect_placed_at_its_offset<std::complex<float>>(heap, C_SCPL, block.offset);
    expect_placed_at_its_offset<std::complex<double>>(heap, C_DCPL, block.offset);
  }
}

TEST(Heap, counter_array_in_the_heap) {
  Heap heap(comm(), megabyte);
  const auto block = reserve(heap, 1024);
  std::vector<std::int64_t> dims{comm().size()}, map(static_cast<std::size_t>(comm().size())),
      blocks{comm().size()};
  std::iota(map.begin(), map.end(), 0);
  const int counter = heap.place(C_LONG, dims, map, blocks, block.offset);
  GA_Zero(counter);
  std::int64_t index = comm().size() - 1;
  for (int k = 0; k < 100; ++k) NGA_Read_inc64(counter, &index, 1);
  GA_Sync();
  EXPECT_EQ(NGA_Read_inc64(counter, &index, 0), 100 * comm().size());
  GA_Sync();
  heap.unplace(counter);
}

TEST(Heap, an_ordinary_array_is_counted) {
  Heap heap(comm(), megabyte);
  const int before = Heap::ga_creates();
  int dims[1] = {100}, chunk[1] = {-1};
  char name[] = "ordinary";
  const int handle = NGA_Create(C_DBL, 1, dims, name, chunk);
  EXPECT_EQ(Heap::ga_creates(), before + 1);
  GA_Destroy(handle);
}

TEST(Heap, bad_distributions_are_errors_of_value) {
  Heap heap(comm(), megabyte);
  const auto expect_refused = [&](std::vector<std::int64_t> dims, std::vector<std::int64_t> map,
                                  std::vector<std::int64_t> blocks, std::size_t offset) {
    try {
      heap.place(C_DBL, dims, map, blocks, offset);
      ADD_FAILURE() << "placed";
    } catch (const protocol::Error& error) {
      EXPECT_EQ(error.kind(), protocol::ErrorKind::value) << error.what();
    }
  };
  expect_refused({10}, {0, 5, 7, 8, 9}, {5}, 0);  // more blocks than ranks
  expect_refused({10}, {1}, {1}, 0);              // does not start at 0
  expect_refused({10, 10}, {0}, {1, 1}, 0);       // map too short
  expect_refused({10}, {0, 3}, {1}, 0);           // map too long
  expect_refused({0}, {0}, {1}, 0);               // empty block
  expect_refused({}, {}, {}, 0);
  expect_refused({1 << 17}, {0}, {1}, 0);  // a megabyte, and 64 bytes are GA's
  expect_refused({1}, {0}, {1}, megabyte - 64);
  expect_refused({1}, {0}, {1}, 8);  // not aligned
  heap.unplace(heap.place(C_DBL, std::vector<std::int64_t>{1}, std::vector<std::int64_t>{0},
                          std::vector<std::int64_t>{1}, megabyte - 128));
}

TEST(Heap, an_error_of_global_arrays_is_an_exception) {
  std::int64_t index = 0, unused = 0;
  char byte = 0;
  EXPECT_THROW(NGA_Get64(-12345, &index, &index, &byte, &unused), protocol::Error);
}

TEST(Heap, refuses_what_the_machine_does_not_have) {
  const int creates = Heap::ga_creates();
  for (const std::size_t bytes : {std::size_t{1} << 45, std::size_t{1} << 60, std::size_t{0}}) {
    try {
      Heap heap(comm(), bytes);
      ADD_FAILURE() << "reserved " << bytes;
    } catch (const protocol::Error& error) {
      EXPECT_EQ(error.kind(), protocol::ErrorKind::memory);
      EXPECT_NE(
          std::string(error.what()).find(bytes == std::size_t{1} << 45 ? "32.0 TiB" : "must lie between"),
          std::string::npos)
          << error.what();
    }
  }
  EXPECT_EQ(Heap::ga_creates(), creates);
  if (comm().size() > 1) {
    EXPECT_THROW(Heap(comm(), static_cast<std::size_t>(comm().rank() + 1) * megabyte), protocol::Error);
  }
}

TEST(Heap, commit_and_trim_move_the_free_space) {
  Heap heap(comm(), 64 * megabyte);
  const auto block = reserve(heap, 32 * megabyte);
  std::memset(heap.address(comm().rank(), block.offset), 1, block.bytes);
  const auto again = [&] {
    heap.allocator().release(block);
    return heap.allocator().allocate(32 * megabyte - 1000);
  };
  ASSERT_EQ(again(), block);
  EXPECT_TRUE(heap.allocator().take_uncommitted().empty()) << "recycled memory is warm";
  heap.allocator().release(block);
  heap.trim();
  comm().barrier();
  EXPECT_EQ(static_cast<int>(heap.address(comm().rank(), block.offset)[17]), 0) << "pages came back as zeros";
  comm().barrier();
  EXPECT_EQ(reserve(heap, 32 * megabyte), block);
}

TEST(Heap, huge_pages_are_what_global_arrays_have) {
  const bool may_have = comm().broadcast(make_huge_file(huge_page_bytes).place()) != protocol::Bytes();
  for (const bool is_wanted : {true, false}) {
    Heap heap(comm(), 5 * megabyte, is_wanted);
    EXPECT_EQ(heap.has_huge_pages(),
              is_wanted && may_have && comm().is_one_node() && comm().ranks_on_node() > 1);
    const auto block = reserve(heap, 3 * megabyte);
    ASSERT_TRUE(heap.commit(heap.allocator().take_uncommitted()));
    const int next = (comm().rank() + 1) % comm().size();
    std::memset(heap.address(comm().rank(), block.offset), comm().rank() + 1, 3 * megabyte);
    comm().barrier();
    if (heap.address(next, 0) != nullptr) {
      EXPECT_EQ(*at<char>(heap, next, block.offset + 3 * megabyte - 1), next + 1);
    }
    char through_ga = 0;
    std::int64_t index = heap.ga_index(next, block.offset + megabyte), leading = 1;
    NGA_Get64(heap.handle(), &index, &index, &through_ga, &leading);
    EXPECT_EQ(through_ga, next + 1);
    comm().barrier();
  }
}

TEST(Heap, default_size_is_accepted) {
  const std::size_t bytes = Heap::default_bytes(comm());
  EXPECT_GT(bytes, megabyte);
  Heap heap(comm(), bytes);
  EXPECT_EQ(heap.bytes_per_rank(), bytes);
  EXPECT_EQ(heap.backing_file().empty(), comm().ranks_on_node() == 1) << heap.backing_file();
}

}  // namespace
}  // namespace gamelan::engine::distribution
