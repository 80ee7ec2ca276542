// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <utility>

#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/drivers/v4l2/bench.hpp"

namespace kerb::test {
namespace {

bool is_counting = false;
std::uint64_t counted = 0, before = 0;

/// Counts what is allocated from now on, or no longer; returns whether it did so until now.
bool count(bool on) {
  if (is_counting) counted += allocations() - before;
  before = allocations();
  return std::exchange(is_counting, on);
}

/// Lets the fake kernel allocate as it likes.
class UncountedKernel final : public KernelIo {
 public:
  explicit UncountedKernel(KernelIo& inner) : inner_{inner} {}
  int open(const char* path) noexcept override { return inner_.open(path); }
  int close(int fd) noexcept override { return inner_.close(fd); }
  int ioctl(int fd, unsigned long request, void* argument) noexcept override {
    const bool was_counting = count(false);
    const int rc = inner_.ioctl(fd, request, argument);
    count(was_counting);
    return rc;
  }
  int poll(int fd, short events, Nanos timeout) noexcept override {
    const bool was_counting = count(false);
    const int rc = inner_.poll(fd, events, timeout);
    count(was_counting);
    return rc;
  }
  int map(int fd, std::size_t size, std::size_t offset, void*& address) noexcept override {
    return inner_.map(fd, size, offset, address);
  }
  int unmap(void* address, std::size_t size) noexcept override {
    return inner_.unmap(address, size);
  }

 private:
  KernelIo& inner_;
};

TEST(taking_and_letting_go_of_frames_allocates_nothing_not_even_when_it_fails) {
  Bench bench;
  UncountedKernel kernel{bench.kernel};
  auto opened = V4l2Camera::open(bench.settings, bench.memory, bench.clock, kernel);
  TEST_ASSERT_OK(opened);
  const std::unique_ptr<V4l2Camera> camera = *std::move(opened);
  for (std::uint32_t i = 0; i < 100; ++i) {
    const bool is_bad = i % 10 == 9;
    const bool is_late = i % 10 == 5;
    Fill fill{i, bench.clock.now()};
    if (is_bad) fill.flags |= V4L2_BUF_FLAG_ERROR;
    if (!is_late) bench.kernel.fill(fill);
    bench.kernel.input_status = i == 50 ? V4L2_IN_ST_NO_SIGNAL : 0;
    count(true);
    {
      const auto frame = camera->next(10ms);
      if (!is_bad && !is_late && i != 50) {
        count(false);
        TEST_ASSERT_OK(frame);
        count(true);
      }
    }
    count(false);
  }
  TEST_ASSERT_TRUE(camera->counters().delivered >= 75);
  TEST_ASSERT_EQUAL_INT(0, counted);
  count(true);
  ::operator delete(::operator new(1));  // the counter itself works
  count(false);
  TEST_ASSERT_EQUAL_INT(1, counted);
}

}  // namespace
}  // namespace kerb::test
