// SPDX-License-Identifier: Apache-2.0
// Frame memory, leases, and what only the fake source can do; the rest of it is in the contract
// suite.
#include <memory>
#include <type_traits>
#include <vector>

#include "hal/fake/clock.hpp"
#include "hal/fake/frame_memory.hpp"
#include "hal/fake/frame_source.hpp"
#include "hal/frame_source.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;
using namespace std::chrono_literals;

static_assert(!std::is_copy_constructible_v<MemoryBlock> &&
              !std::is_copy_assignable_v<MemoryBlock>);
static_assert(!std::is_copy_constructible_v<FrameLease> && !std::is_copy_assignable_v<FrameLease>);
static_assert(std::is_nothrow_move_constructible_v<Frame>);

TEST(pageable_memory_comes_in_zeroed_pages) {
  PageableFrameMemory memory;
  TEST_ASSERT_EQUAL_STRING("pageable", memory.kind());
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{100000}}) {
    const Result<MemoryBlock> block = memory.allocate(bytes);
    TEST_ASSERT_OK(block);
    TEST_ASSERT_GREATER_OR_EQUAL_UINT64(bytes, block->size());
    TEST_ASSERT_EQUAL_UINT64(0, block->size() % 4096);
    TEST_ASSERT_EQUAL_UINT64(0, reinterpret_cast<std::uintptr_t>(block->data()) % 4096);
    for (std::size_t i = 0; i < block->size(); ++i) TEST_ASSERT_EQUAL(0, block->data()[i]);
  }
}

TEST(absurd_sizes_are_refused) {
  PageableFrameMemory memory;
  TEST_ASSERT_ERROR(Errc::invalid_argument, memory.allocate(0));
  TEST_ASSERT_ERROR(Errc::io, memory.allocate(~std::size_t{0}));  // rounding up would wrap
  TEST_ASSERT_ERROR(Errc::io, memory.allocate(~std::size_t{0} - 3));
}

/// Counts what is freed.
class CountingMemory final : public FrameMemory {
 public:
  Result<MemoryBlock> allocate(std::size_t bytes) override {
    return MemoryBlock{*this, new std::uint8_t[bytes], bytes};
  }
  [[nodiscard]] const char* kind() const noexcept override { return "counting"; }
  int freed = 0;

 private:
  void free(void* data, std::size_t) noexcept override {
    ++freed;
    delete[] static_cast<std::uint8_t*>(data);
  }
};

TEST(a_block_is_freed_once_wherever_it_went) {
  CountingMemory memory;
  {
    Result<MemoryBlock> made = memory.allocate(16);
    MemoryBlock a = *std::move(made);
    MemoryBlock b{std::move(a)};
    TEST_ASSERT_NULL(a.data());
    a = std::move(b);
    TEST_ASSERT_NOT_NULL(a.data());
    TEST_ASSERT_EQUAL(0, memory.freed);
    MemoryBlock& same = a;
    a = std::move(same);  // onto itself: kept
    TEST_ASSERT_NOT_NULL(a.data());
    TEST_ASSERT_EQUAL(0, memory.freed);
    a = *memory.allocate(16);
    TEST_ASSERT_EQUAL(1, memory.freed);
  }
  TEST_ASSERT_EQUAL(2, memory.freed);
}

class Lender final : public FrameLender {
 public:
  void give_back(std::uint32_t index) noexcept override { returned.push_back(index); }
  std::vector<std::uint32_t> returned;
};

TEST(a_lease_gives_back_once) {
  const auto lender = std::make_shared<Lender>();
  {
    FrameLease lease{lender, 3};
    lease.release();
    TEST_ASSERT_EQUAL(1, lender->returned.size());
    lease.release();
  }
  TEST_ASSERT_EQUAL(1, lender->returned.size());
  TEST_ASSERT_EQUAL(3, lender->returned[0]);
  { const FrameLease none; }  // nothing to give back
}

TEST(a_lease_moves) {
  const auto lender = std::make_shared<Lender>();
  FrameLease one{lender, 1};
  FrameLease two{lender, 2};
  FrameLease moved{std::move(one)};
  TEST_ASSERT_TRUE(lender->returned.empty());
  one.release();  // it has nothing any more
  TEST_ASSERT_TRUE(lender->returned.empty());
  two = std::move(moved);  // 2 goes back, 1 stays out
  TEST_ASSERT_EQUAL(1, lender->returned.size());
  TEST_ASSERT_EQUAL(2, lender->returned[0]);
  FrameLease& same = two;
  two = std::move(same);
  TEST_ASSERT_EQUAL(1, lender->returned.size());
  two = FrameLease{};
  TEST_ASSERT_EQUAL(2, lender->returned.size());
  TEST_ASSERT_EQUAL(1, lender->returned[1]);
}

TEST(a_lease_keeps_its_lender) {
  auto lender = std::make_shared<Lender>();
  const std::weak_ptr<Lender> watch = lender;
  FrameLease lease{std::move(lender), 0};
  TEST_ASSERT_FALSE(watch.expired());
  lease.release();
  TEST_ASSERT_TRUE(watch.expired());
}

TEST(the_fake_source_shows_its_script) {
  const FakeClock clock{1s};
  FakeFrameSource source{clock};
  FakeFrame odd;
  odd.captured = 3s;
  odd.dropped_before = 4;
  odd.fill = 0xAB;
  odd.width = 32;
  odd.height = 16;
  odd.format = PixelFormat::yuyv;
  source.push();
  source.push(odd);
  TEST_ASSERT_EQUAL(2, source.waiting());
  const Result<Frame> first = source.next(Nanos::zero());
  TEST_ASSERT_OK(first);
  TEST_ASSERT_EQUAL(640, first->image.width);
  TEST_ASSERT_ERROR(Errc::timeout, source.next(1s));  // the clock moved on by as much
  const Result<Frame> second = source.next(5s);
  TEST_ASSERT_OK(second);
  TEST_ASSERT_EQUAL_INT64(Nanos{3s}.count(), clock.now().count());
  TEST_ASSERT_EQUAL_UINT64(5, second->sequence);
  TEST_ASSERT_EQUAL(32, second->image.width);
  TEST_ASSERT_EQUAL(64, second->image.row_stride);
  TEST_ASSERT_EQUAL_HEX8(0xAB, second->image.data[16 * 64 - 1]);
  TEST_ASSERT_EQUAL(2, source.loans());
  TEST_ASSERT_EQUAL_UINT64(4, source.counters().dropped);
}

TEST(the_fake_source_spaces_frames) {
  const FakeClock clock{1s};
  FakeFrameSource source{clock};
  source.push(3, 40ms);
  source.end_after_script();
  for (int i = 0; i < 3; ++i) {
    const Result<Frame> frame = source.next(1s);
    TEST_ASSERT_OK(frame);
    TEST_ASSERT_EQUAL_INT64(Nanos{1s + i * 40ms}.count(), frame->captured.count());
  }
  TEST_ASSERT_ERROR(Errc::end, source.next(1s));
  TEST_ASSERT_EQUAL(0, source.loans());
}

TEST(the_fake_source_fails_as_told) {
  const FakeClock clock{1s};
  FakeFrameSource source{clock};
  source.push(2, 1ms);
  source.fail_next({Errc::no_signal, 0, "look"});
  source.fail_next({Errc::damaged, 0, "look"});
  TEST_ASSERT_ERROR(Errc::no_signal, source.next(1s));
  TEST_ASSERT_ERROR(Errc::damaged, source.next(1s));
  const Result<Frame> frame = source.next(1s);
  TEST_ASSERT_OK(frame);
  TEST_ASSERT_EQUAL_UINT64(1, frame->sequence);  // the damaged one was 0
  TEST_ASSERT_EQUAL_UINT64(1, source.counters().damaged);
  TEST_ASSERT_EQUAL_UINT64(1, source.counters().delivered);
}

}  // namespace
