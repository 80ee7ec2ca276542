// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include "gpu/memory/buffer.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/frame_memory.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

std::vector<std::uint32_t> numbers(std::size_t count, std::uint32_t start) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), start);
  return values;
}

TEST(the_device_gets_the_policy_of_its_attributes) {
  const DeviceTraits& t = gpu->traits();
  std::printf("%s, compute capability %d, driver %d, runtime %d\n", gpu->info().device.c_str(),
              gpu->info().compute_capability, gpu->info().driver_version,
              gpu->info().runtime_version);
  std::printf(
      "integrated %d, maps host memory %d, managed %d, concurrent %d, pageable %d, host page "
      "tables %d, registers %d, same address %d\n",
      t.integrated, t.can_map_host_memory, t.managed_memory, t.concurrent_managed_access,
      t.pageable_memory_access, t.pageable_uses_host_page_tables, t.host_register_supported,
      t.can_use_host_pointer_for_registered);
  for (Use use : {Use::camera_input, Use::result, Use::device_only, Use::shared}) {
    const MemoryPlan& plan = gpu->policy().plan(use);
    const MemoryPlan expected = decide(t).plan(use);
    std::printf("  %-12s %s%s%s\n", name_of(use), name_of(plan.placement),
                plan.registered ? ", registered" : "", plan.transfer ? ", copied" : "");
    TEST_ASSERT_TRUE(plan.placement == expected.placement && plan.transfer == expected.transfer);
  }
  TEST_ASSERT_TRUE(t.present);
  TEST_ASSERT_EQUAL(!t.integrated, gpu->policy().camera_input.transfer);
}

TEST(device_buffers_hold_what_is_copied_in) {
  for (std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20}) {
    Result<DeviceBuffer<std::uint32_t>> buffer = DeviceBuffer<std::uint32_t>::create(*gpu, count);
    TEST_ASSERT_OK(buffer);
    const std::vector<std::uint32_t> in = numbers(count, 7);
    std::vector<std::uint32_t> out(count);
    TEST_ASSERT_OK(copy_to_device(gpu->stream(), buffer->device_data(), in.data(), count));
    DeviceBuffer<std::uint32_t> moved = std::move(*buffer);
    TEST_ASSERT_OK(copy_to_host(gpu->stream(), out.data(), moved.device_data(), count));
    TEST_ASSERT_OK(wait(gpu->stream()));
    TEST_ASSERT_EQUAL_UINT32_ARRAY(in.data(), out.data(), count);
  }
}

// Each way of having host memory, whatever this device would choose.
TEST(every_placement_can_be_written_by_both_sides) {
  const MemoryPlan plans[] = {
      {Placement::pinned_mapped, false, false, true},
      {Placement::pinned_mapped, false, true, true},
      {Placement::managed, false, false, true},
  };
  constexpr std::size_t kBytes = 100'000;
  for (const MemoryPlan& plan : plans) {
    if (plan.registered && !gpu->traits().host_register_supported) continue;
    if (plan.placement == Placement::managed && !gpu->traits().concurrent_managed_access) continue;
    Result<MemoryOwner> memory = MemoryOwner::create(plan, kBytes, 1);
    TEST_ASSERT_OK(memory);
    const runtime::Block& block = memory->block();
    TEST_ASSERT_EQUAL(0, reinterpret_cast<std::uintptr_t>(block.host) % 4096);
    TEST_ASSERT_NOT_NULL(block.device);
    if (plan.registered && gpu->traits().can_use_host_pointer_for_registered)
      TEST_ASSERT_EQUAL_PTR(block.host, block.device);
    TEST_ASSERT_EACH_EQUAL_UINT8(0, static_cast<std::uint8_t*>(block.host), kBytes);
    TEST_ASSERT_OK(runtime::fill(gpu->stream().get(), block.device, 0x5a, kBytes - 1));
    TEST_ASSERT_OK(wait(gpu->stream()));
    TEST_ASSERT_EACH_EQUAL_UINT8(0x5a, static_cast<std::uint8_t*>(block.host), kBytes - 1);
    TEST_ASSERT_EQUAL_UINT8(0, static_cast<std::uint8_t*>(block.host)[kBytes - 1]);
  }
}

TEST(dual_buffers_carry_both_ways_with_and_without_a_twin) {
  Result<Context> context = Context::create(BackendChoice::cuda);
  TEST_ASSERT_OK(context);
  for (bool transfer : {false, true}) {
    MemoryPolicy policy = context->policy();
    policy.result.transfer = transfer;
    context->use_policy(policy);
    Result<DualBuffer<std::uint32_t>> dual =
        DualBuffer<std::uint32_t>::create(*context, Use::result, 5000);
    TEST_ASSERT_OK(dual);
    TEST_ASSERT_EQUAL(transfer, dual->has_twin());
    for (std::uint32_t i = 0; i < 5000; ++i) dual->host()[i] = i * i;
    TEST_ASSERT_OK(dual->to_device(context->stream()));
    // The first half changes on the device only.
    TEST_ASSERT_OK(runtime::fill(context->stream().get(), dual->device(), 0xff, 2500 * 4));
    TEST_ASSERT_OK(dual->to_host(context->stream()));
    TEST_ASSERT_OK(wait(context->stream()));
    for (std::uint32_t i = 0; i < 5000; ++i)
      TEST_ASSERT_EQUAL_UINT32(i < 2500 ? 0xffffffffu : i * i, dual->host()[i]);
  }
}

TEST(frame_memory_is_found_by_the_addresses_inside_it) {
  Result<Context> context = Context::create(BackendChoice::cuda);
  TEST_ASSERT_OK(context);
  MemoryPolicy policy = context->policy();
  policy.camera_input.transfer = false;  // also on a discrete card
  context->use_policy(policy);
  GpuFrameMemory memory{*context};
  TEST_ASSERT_EQUAL_STRING("pinned", memory.kind());
  Result<MemoryBlock> a = memory.allocate(100'000), b = memory.allocate(5);
  TEST_ASSERT_OK(a);
  TEST_ASSERT_OK(b);
  const std::uint8_t* device = memory.device_pointer(a->data(), a->size());
  TEST_ASSERT_NOT_NULL(device);
  TEST_ASSERT_EQUAL_PTR(device + 1234, memory.device_pointer(a->data() + 1234, 1));
  TEST_ASSERT_NOT_NULL(memory.device_pointer(b->data(), 5));
  TEST_ASSERT_NULL(memory.device_pointer(a->data() + 1, a->size()));
  TEST_ASSERT_NULL(memory.device_pointer(a->data(), SIZE_MAX));
  std::uint8_t elsewhere = 0;
  TEST_ASSERT_NULL(memory.device_pointer(&elsewhere, 1));
  const std::uint8_t* freed = a->data();
  *a = MemoryBlock{};
  TEST_ASSERT_NULL(memory.device_pointer(freed, 1));
}

TEST(frame_memory_is_to_be_uploaded_where_the_policy_says_so) {
  if (!gpu->policy().camera_input.transfer) TEST_IGNORE_MESSAGE("integrated: nothing to upload");
  GpuFrameMemory memory{*gpu};
  Result<MemoryBlock> block = memory.allocate(4096);
  TEST_ASSERT_OK(block);
  TEST_ASSERT_NULL(memory.device_pointer(block->data(), 4096));
}

TEST(failures_are_errors_and_leave_the_device_usable) {
  TEST_ASSERT_ERROR(Errc::device, DeviceBuffer<std::uint8_t>::create(*gpu, std::size_t{1} << 50));
  TEST_ASSERT_ERROR(Errc::invalid_argument, DeviceBuffer<std::uint8_t>::create(*gpu, 0));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    HostBuffer<std::uint8_t>::create(*gpu, Use::device_only, 1));
  TEST_ASSERT_OK(DeviceBuffer<std::uint8_t>::create(*gpu, 100));
  TEST_ASSERT_OK(Stream::create());
  TEST_ASSERT_OK(wait(gpu->stream()));
}

}  // namespace

BEFORE_SUITE(words) { return kerb::test::open_gpu(); }

AFTER_SUITE() { gpu.reset(); }
