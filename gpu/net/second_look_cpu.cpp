// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "gpu/memory/no_memory.hpp"
#include "gpu/net/crop.hpp"
#include "gpu/net/levels.hpp"
#include "gpu/net/packed_network.hpp"
#include "gpu/net/second_look.hpp"
#include "gpu/net/second_look_check.hpp"

namespace kerb::net {
namespace {

class SecondLookCpu final : public SecondLook {
 public:
  SecondLookCpu(Workers& workers, Network network, int width, int height)
      : workers_{workers},
        network_{std::move(network)},
        packed_{network_},
        lanes_{convolution_lanes()},
        width_{width},
        height_{height} {
    const CropShape& crop = network_.crop;
    const int samples = crop.planes * crop.width * crop.height;
    for (int i = 0; i < workers.count(); ++i)
      desks_.push_back({std::vector<std::uint8_t>(static_cast<std::size_t>(samples)),
                        std::vector<std::uint8_t>(packed_.scratch_bytes())});
  }

  Status look(const PlanesView<Space::host, const std::uint8_t>& picture, Detection* candidates,
              int count) override {
    const CropShape& shape = network_.crop;
    if (Status ok = check_look(picture, shape.planes, width_, height_, candidates, count); !ok)
      return ok;
    workers_.run(count, [&](int task, int worker) {
      Desk& desk = desks_[static_cast<std::size_t>(worker)];
      LevelTable levels;
      float results[kResults];
      cut_crop(picture, shape, place_crop(shape, candidates[task]), desk.crop.data());
      fill_levels(shape, desk.crop.data(), levels);
      packed_.run(lanes_, desk.crop.data(), levels, desk.scratch.data(), results);
      candidates[task] = corrected(candidates[task], results);
    });
    return Done{};
  }

  Status look(const PlanesView<Space::device, const std::uint8_t>&, Detection*, int) override {
    return Error{Errc::unsupported, 0, "second look", "the backend is the CPU"};
  }

  [[nodiscard]] const Network& network() const noexcept override { return network_; }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cpu; }
  [[nodiscard]] std::size_t device_bytes() const noexcept override { return 0; }

 private:
  /// What a worker needs for a crop.
  struct Desk {
    std::vector<std::uint8_t> crop, scratch;
  };

  Workers& workers_;
  Network network_;
  PackedNetwork packed_;
  ConvolutionLanes lanes_;
  int width_, height_;
  std::vector<Desk> desks_;
};

}  // namespace

Result<std::unique_ptr<SecondLook>> make_second_look_cpu(Workers& workers, Network network,
                                                         int width, int height) {
  if (Status ok = check_made(network, width, height); !ok) return ok.error();
  return or_no_memory(kMakeSecondLook, [&]() -> Result<std::unique_ptr<SecondLook>> {
    return std::unique_ptr<SecondLook>{
        std::make_unique<SecondLookCpu>(workers, std::move(network), width, height)};
  });
}

}  // namespace kerb::net
