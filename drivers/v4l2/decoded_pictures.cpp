// SPDX-License-Identifier: Apache-2.0
#include "drivers/v4l2/decoded_pictures.hpp"

#include <bit>

namespace kerb::v4l2 {

Result<std::shared_ptr<DecodedPictures>> DecodedPictures::create(FrameMemory& memory, int count,
                                                                 std::size_t bytes) {
  auto pictures = std::make_shared<DecodedPictures>();
  for (int i = 0; i < count; ++i) {
    Result<MemoryBlock> block = memory.allocate(bytes);
    if (!block) return block.error();
    pictures->blocks_.push_back(*std::move(block));
    pictures->give_back(static_cast<std::uint32_t>(i));
  }
  return pictures;
}

std::uint32_t DecodedPictures::borrow() noexcept {
  const auto index = static_cast<std::uint32_t>(std::countr_zero(free_.load()));
  free_.fetch_and(~(1u << index));
  return index;
}

void DecodedPictures::give_back(std::uint32_t index) noexcept { free_.fetch_or(1u << index); }

}  // namespace kerb::v4l2
