// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpu_nodes/gpu_nodes.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"

using namespace kerb;

namespace {

TEST(a_gpu_shows_by_its_node_its_driver_or_its_place_on_the_bus) {
  const test::TempFolder none;
  TEST_ASSERT_FALSE(find_gpu(none.path().string()).has_value());
  for (const char* sign : {"dev/nvidia0", "dev/nvhost-gpu", "proc/driver/nvidia/version"}) {
    const test::TempFolder root;
    root.write(sign, "");
    const std::optional<std::string> found = find_gpu(root.path().string());
    TEST_ASSERT_TRUE_MESSAGE(found.has_value(), sign);
    TEST_ASSERT_EQUAL_STRING((std::string{"/"} + sign).c_str(), found->c_str());
  }
  const test::TempFolder pci;  // its driver is not loaded
  const std::string card = "sys/bus/pci/devices/0000:01:00.0/";
  pci.write(card + "vendor", "0x10de\n");
  pci.write(card + "class", "0x040300\n");  // its sound
  TEST_ASSERT_FALSE(find_gpu(pci.path().string()).has_value());
  pci.write(card + "class", "0x030200\n");
  TEST_ASSERT_EQUAL_STRING("PCI device 0000:01:00.0", find_gpu(pci.path().string())->c_str());
  pci.write(card + "vendor", "0x8086\n");
  TEST_ASSERT_FALSE(find_gpu(pci.path().string()).has_value());
}

TEST(the_cpu_instead_of_a_gpu_that_is_there_is_a_fault) {
  const std::optional<std::string> sign{"/dev/nvidia0"};
  TEST_ASSERT_FALSE(missing_gpu(std::nullopt, sign).has_value());             // CUDA works
  TEST_ASSERT_FALSE(missing_gpu(Errc::unsupported, sign).has_value());        // built without it
  TEST_ASSERT_FALSE(missing_gpu(Errc::not_found, std::nullopt).has_value());  // a desk
  const std::optional<Error> gone = missing_gpu(Errc::not_found, sign);
  TEST_ASSERT_TRUE(gone.has_value());
  TEST_ASSERT_TRUE(gone->code == Errc::not_found);
  TEST_ASSERT_EQUAL_STRING("use the GPU of this machine: /dev/nvidia0", describe(*gone).c_str());
  const std::optional<Error> refused = missing_gpu(Errc::device, std::nullopt);
  TEST_ASSERT_TRUE(refused.has_value());
  TEST_ASSERT_TRUE(refused->code == Errc::device);
}

}  // namespace
