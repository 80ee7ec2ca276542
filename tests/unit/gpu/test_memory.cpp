// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/memory/buffer.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/frame_memory.hpp"
#include "gpu/memory/policy.hpp"
#include "tests/support/test.hpp"

using namespace kerb;

namespace {

// The owners move and do not copy; no integer or null pointer is taken for a stream.
template <typename T>
constexpr bool kMoveOnly = std::is_nothrow_move_constructible_v<T> &&
                           !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;
static_assert(kMoveOnly<Stream> && kMoveOnly<DeviceBuffer<int>> && kMoveOnly<HostBuffer<int>> &&
              kMoveOnly<DualBuffer<int>>);
static_assert(!std::is_copy_constructible_v<Context> && std::is_move_constructible_v<Context>);
static_assert(!std::is_convertible_v<std::nullptr_t, StreamRef> &&
              !std::is_convertible_v<int, StreamRef> && !std::is_constructible_v<StreamRef, int>);

struct Board {
  const char* name;
  DeviceTraits traits;
  bool io_coherent;
  MemoryPlan camera_input, result, device_only, shared;
};

constexpr MemoryPlan kPageable{Placement::pageable, false, false, true};
constexpr MemoryPlan kDevice{Placement::device, false, false, true};
constexpr MemoryPlan kManaged{Placement::managed, false, false, true};
constexpr MemoryPlan kRegistered{Placement::pinned_mapped, false, true, true};
constexpr MemoryPlan kRegisteredCopied{Placement::pinned_mapped, true, true, true};
constexpr MemoryPlan kPinnedUncached{Placement::pinned_mapped, false, false, false};
constexpr MemoryPlan kPinnedCopied{Placement::pinned_mapped, true, false, true};
constexpr MemoryPlan kPageableCopied{Placement::pageable, true, false, true};

DeviceTraits traits(const char* letters) {
  DeviceTraits t;
  for (const char* c = letters; *c != '\0'; ++c) switch (*c) {
      case 'P':
        t.present = true;
        break;
      case 'I':
        t.integrated = true;
        break;
      case 'm':
        t.can_map_host_memory = true;
        break;
      case 'M':
        t.managed_memory = true;
        break;
      case 'C':
        t.concurrent_managed_access = true;
        break;
      case 'A':
        t.pageable_memory_access = true;
        break;
      case 'H':
        t.pageable_uses_host_page_tables = true;
        break;
      case 'R':
        t.host_register_supported = true;
        break;
      case 'S':
        t.can_use_host_pointer_for_registered = true;
        break;
      default:
        TEST_FAIL_MESSAGE("no such trait");
    }
  return t;
}

void check_plan(const MemoryPlan& expected, const MemoryPlan& actual, const char* board) {
  TEST_ASSERT_EQUAL_STRING_MESSAGE(name_of(expected.placement), name_of(actual.placement), board);
  TEST_ASSERT_EQUAL_MESSAGE(expected.transfer, actual.transfer, board);
  TEST_ASSERT_EQUAL_MESSAGE(expected.registered, actual.registered, board);
  TEST_ASSERT_EQUAL_MESSAGE(expected.host_cached, actual.host_cached, board);
}

TEST(policy_follows_the_attributes_of_each_kind_of_board) {
  const Board boards[] = {
      // Nothing there: plain memory, nothing to copy to.
      {"no device", traits(""), false, kPageable, kPageable, kPageable, kPageable},
      // TX1's GPU does not snoop the CPU's caches: the driver cannot pin cached pages, and maps its
      // own pinned
      // memory uncached. Managed memory would be cached, but a camera cannot keep off it while
      // kernels run.
      {"Nano", traits("PImM"), false, kPinnedUncached, kPinnedUncached, kDevice, kPinnedUncached},
      // I/O coherent from here on: pinned pages stay cached for the CPU, and registering works.
      {"Xavier", traits("PImMRS"), true, kRegistered, kRegistered, kDevice, kRegistered},
      {"Orin", traits("PImMRS"), true, kRegistered, kRegistered, kDevice, kRegistered},
      // Coherent both ways: what both sides reuse is cached on both. Camera buffers stay pinned all
      // the same:
      // the camera's DMA needs pages that do not move.
      {"Thor", traits("PImMCAHRS"), true, kRegistered, kRegistered, kDevice, kManaged},
      // A bus between the two: pinned for DMA, copied once.
      {"discrete card", traits("PmMCRS"), true, kRegisteredCopied, kRegisteredCopied, kDevice,
       kRegisteredCopied},
      // Grace Hopper's kind: coherent, but two memories far apart; a copy is still the better
      // bargain.
      {"discrete, coherent", traits("PmMCAHRS"), true, kRegisteredCopied, kRegisteredCopied,
       kDevice, kRegisteredCopied},
      // Not met so far; the rules must still give something that works.
      {"discrete, no registration", traits("PmMC"), true, kPinnedCopied, kPinnedCopied, kDevice,
       kPinnedCopied},
      {"discrete, nothing", traits("P"), true, kPageableCopied, kPageableCopied, kDevice,
       kPageableCopied},
      {"integrated, nothing", traits("PI"), false, kPageableCopied, kPageableCopied, kDevice,
       kPageableCopied},
      {"integrated, registers but does not map", traits("PIR"), true, kRegisteredCopied,
       kRegisteredCopied, kDevice, kRegisteredCopied},
      {"integrated, concurrent but not managed", traits("PImCRS"), true, kRegistered, kRegistered,
       kDevice, kRegistered},
  };
  for (const Board& board : boards) {
    const MemoryPolicy policy = decide(board.traits);
    TEST_ASSERT_EQUAL_MESSAGE(board.io_coherent, is_io_coherent(board.traits), board.name);
    check_plan(board.camera_input, policy.plan(Use::camera_input), board.name);
    check_plan(board.result, policy.plan(Use::result), board.name);
    check_plan(board.device_only, policy.plan(Use::device_only), board.name);
    check_plan(board.shared, policy.plan(Use::shared), board.name);
  }
}

// Every combination there can be: whatever the driver says, kernels reach the data or somebody
// copies it.
TEST(policy_never_leaves_kernels_without_the_data) {
  for (unsigned bits = 0; bits < 512; ++bits) {
    const auto bit = [bits](unsigned i) { return (bits >> i & 1u) != 0; };
    const DeviceTraits t{bit(0), bit(1), bit(2), bit(3), bit(4), bit(5), bit(6), bit(7), bit(8)};
    const MemoryPolicy policy = decide(t);
    for (Use use : {Use::camera_input, Use::result, Use::device_only, Use::shared}) {
      const MemoryPlan& plan = policy.plan(use);
      if (!t.present) {
        TEST_ASSERT_TRUE(plan.placement == Placement::pageable && !plan.transfer);
        continue;
      }
      if (use == Use::device_only) {
        TEST_ASSERT_TRUE(plan.placement == Placement::device && !plan.transfer);
        continue;
      }
      TEST_ASSERT_TRUE_MESSAGE(plan.placement != Placement::device, name_of(use));
      TEST_ASSERT_TRUE_MESSAGE(t.integrated || plan.transfer, name_of(use));
      if (plan.placement == Placement::pageable)
        TEST_ASSERT_TRUE_MESSAGE(plan.transfer, name_of(use));
      if (plan.placement == Placement::pinned_mapped && !plan.transfer)
        TEST_ASSERT_TRUE_MESSAGE(t.can_map_host_memory, name_of(use));
      if (plan.placement == Placement::managed)
        TEST_ASSERT_TRUE_MESSAGE(t.managed_memory && t.concurrent_managed_access, name_of(use));
      if (plan.registered) TEST_ASSERT_TRUE_MESSAGE(t.host_register_supported, name_of(use));
    }
    TEST_ASSERT_TRUE(policy.camera_input.placement != Placement::managed);
  }
}

TEST(backend_choices_have_names_that_parse) {
  BackendChoice choice = BackendChoice::cpu;
  TEST_ASSERT_TRUE(parse("auto", choice) && choice == BackendChoice::automatic);
  TEST_ASSERT_TRUE(parse("cuda", choice) && choice == BackendChoice::cuda);
  TEST_ASSERT_FALSE(parse("CUDA", choice) || parse("", choice) || parse("gpu", choice));
  TEST_ASSERT_TRUE(choice == BackendChoice::cuda);
  TEST_ASSERT_TRUE(parse("cpu", choice) && choice == BackendChoice::cpu);
}

TEST(cpu_context_has_plain_memory_and_no_device) {
  Result<Context> context = Context::create(BackendChoice::cpu);
  TEST_ASSERT_OK(context);
  TEST_ASSERT_EQUAL_STRING("cpu", name_of(context->backend()));
  TEST_ASSERT_FALSE(context->traits().present);
  TEST_ASSERT_TRUE(context->info().device.empty() && context->info().reason.empty());
  TEST_ASSERT_ERROR(Errc::unsupported, DeviceBuffer<int>::create(*context, 4));
}

TEST(automatic_choice_gives_a_reason_when_it_falls_back) {
  Result<Context> context = Context::create(BackendChoice::automatic);
  TEST_ASSERT_OK(context);
  const bool cuda = context->backend() == Backend::cuda;
  TEST_ASSERT_EQUAL(cuda, context->info().reason.empty());
  TEST_ASSERT_EQUAL(cuda, !context->info().device.empty());
  Result<Context> forced = Context::create(BackendChoice::cuda);
  if (cuda) {
    TEST_ASSERT_OK(forced);
    return;
  }
  TEST_ASSERT_FALSE(forced);  // and says the same
  TEST_ASSERT_TRUE(forced.error().code == Errc::unsupported ||
                   forced.error().code == Errc::not_found || forced.error().code == Errc::device);
  TEST_ASSERT_EQUAL_STRING(context->info().reason.c_str(), describe(forced.error()).c_str());
}

TEST(host_buffers_are_zero_and_move) {
  Result<Context> context = Context::create(BackendChoice::cpu);
  for (Use use : {Use::camera_input, Use::result, Use::shared}) {
    Result<HostBuffer<std::uint32_t>> buffer =
        HostBuffer<std::uint32_t>::create(*context, use, 1000);
    TEST_ASSERT_OK(buffer);
    TEST_ASSERT_EACH_EQUAL_UINT32(0, buffer->data(), 1000);
    TEST_ASSERT_NULL(buffer->device_data());
    (*buffer)[7] = 42;
    HostBuffer<std::uint32_t> moved = std::move(*buffer);
    TEST_ASSERT_EQUAL_UINT32(42, moved[7]);
    TEST_ASSERT_EQUAL(1000, moved.size());
    moved = HostBuffer<std::uint32_t>{};
    TEST_ASSERT_NULL(moved.data());
  }
}

TEST(buffers_refuse_nothing_and_too_much) {
  Result<Context> context = Context::create(BackendChoice::cpu);
  using Buffer = HostBuffer<std::uint64_t>;
  TEST_ASSERT_ERROR(Errc::invalid_argument, Buffer::create(*context, Use::shared, 0));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    Buffer::create(*context, Use::shared, SIZE_MAX / 8 + 2));
  TEST_ASSERT_ERROR(Errc::invalid_argument, Buffer::create(*context, Use::shared, SIZE_MAX));
}

TEST(dual_buffer_is_one_memory_on_the_cpu) {
  Result<Context> context = Context::create(BackendChoice::cpu);
  Result<DualBuffer<float>> buffer = DualBuffer<float>::create(*context, Use::shared, 64);
  TEST_ASSERT_OK(buffer);
  TEST_ASSERT_FALSE(buffer->has_twin());
  TEST_ASSERT_NULL(buffer->device());
  TEST_ASSERT_NOT_NULL(buffer->host());
  TEST_ASSERT_EQUAL(64, buffer->size());
}

TEST(frame_memory_gives_zeroed_whole_pages) {
  Result<Context> context = Context::create(BackendChoice::cpu);
  GpuFrameMemory memory{*context};
  TEST_ASSERT_EQUAL_STRING("pageable", memory.kind());
  TEST_ASSERT_ERROR(Errc::invalid_argument, memory.allocate(0));
  for (std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{65536},
                            std::size_t{65537}, std::size_t{1280 * 720 * 2}}) {
    Result<MemoryBlock> block = memory.allocate(bytes);
    TEST_ASSERT_OK(block);
    TEST_ASSERT_TRUE(block->size() >= bytes && block->size() % 4096 == 0);
    TEST_ASSERT_EQUAL(0, reinterpret_cast<std::uintptr_t>(block->data()) % 4096);
    TEST_ASSERT_EACH_EQUAL_UINT8(0, block->data(), bytes);
    TEST_ASSERT_NULL(memory.device_pointer(block->data(), bytes));  // no device to read it
  }
}

TEST(frame_memory_is_safe_for_many_threads) {
  Result<Context> context = Context::create(BackendChoice::cpu);
  GpuFrameMemory memory{*context};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&memory, t] {
      std::vector<MemoryBlock> blocks;
      for (int i = 0; i < 40; ++i) {
        Result<MemoryBlock> block = memory.allocate(static_cast<std::size_t>(100 + t));
        if (!block) return;
        block->data()[0] = static_cast<std::uint8_t>(i);
        (void)memory.device_pointer(block->data(), 10);
        blocks.push_back(std::move(*block));
        if (i % 3 == 0) blocks.erase(blocks.begin());
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
