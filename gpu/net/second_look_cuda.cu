// SPDX-License-Identifier: Apache-2.0
// The second look on CUDA. Its parts: second_look_blocks.cuh, _cut, _convolve, _kernel (which has
// the order of steps and barriers), _plan.
#include <algorithm>
#include <optional>
#include <utility>

#include "gpu/memory/no_memory.hpp"
#include "gpu/net/second_look.hpp"
#include "gpu/net/second_look_check.hpp"
#include "gpu/net/second_look_plan.cuh"

namespace kerb::net {
namespace {

class SecondLookCuda final : public SecondLook {
 public:
  SecondLookCuda(const Context& context, Network network, int width, int height)
      : context_{context}, network_{std::move(network)}, width_{width}, height_{height} {}

  Status create(const CudaBlocks& blocks);

  Status look(const PlanesView<Space::host, const Byte>& picture, Detection* candidates,
              int count) override {
    if (Status ok = check_look(picture, network_.crop.planes, width_, height_, candidates, count);
        !ok)
      return ok;
    if (count == 0) return Done{};
    const auto width = static_cast<std::size_t>(width_), height = static_cast<std::size_t>(height_);
    const std::size_t pixels = width * height;
    for (int p = 0; p < picture.count; ++p)
      if (Status copied = runtime::copy_rows(
              stream().get(), runtime::Direction::to_device,
              input_.device_data() + static_cast<std::size_t>(p) * pixels, width,
              picture.plane(p).data, static_cast<std::size_t>(picture.row_stride), width, height);
          !copied)
        return copied;
    return run({input_.device_data(), picture.count, width_, height_, width_,
                static_cast<std::ptrdiff_t>(pixels)},
               candidates, count);
  }

  Status look(const Picture& picture, Detection* candidates, int count) override {
    if (Status ok = check_look(picture, network_.crop.planes, width_, height_, candidates, count);
        !ok)
      return ok;
    if (count == 0) return Done{};
    return run(picture, candidates, count);
  }

  [[nodiscard]] const Network& network() const noexcept override { return network_; }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cuda; }
  [[nodiscard]] std::size_t device_bytes() const noexcept override { return bytes_; }

 private:
  [[nodiscard]] StreamRef stream() const noexcept { return *stream_; }
  Status make_plans(const CudaBlocks& blocks);
  Status run(const Picture& picture, Detection* candidates, int count);

  const Context& context_;
  Network network_;
  int width_, height_;
  std::optional<Stream> stream_;
  std::size_t bytes_ = 0;
  DeviceBuffer<Byte> input_;
  DualBuffer<float> results_;
  std::vector<Plan> plans_;  // at least one
};

Status SecondLookCuda::make_plans(const CudaBlocks& blocks) {
  for (int count = 1; count <= kMaxBlocks; count *= 2) {
    if (blocks.per_crop != 0 && blocks.per_crop != count) continue;
    Plan plan;
    const Status made = plan.create(context_, network_, count, blocks.compact);
    // One block for each crop must do; more need not.
    if (!made && made.error().code == Errc::unsupported && !plans_.empty()) continue;
    if (!made) return made;
    bytes_ += plan.device_bytes();
    plans_.push_back(std::move(plan));
  }
  if (plans_.empty())
    return Error{Errc::invalid_argument, 0, kMakeSecondLook, "1, 2, 4 or 8 blocks for a crop"};
  return Done{};
}

Status SecondLookCuda::create(const CudaBlocks& blocks) {
  if (Status ok = make_plans(blocks); !ok) return ok;
  Result<Stream> own = Stream::create();
  if (!own) return own.error();
  stream_.emplace(std::move(*own));
  const std::size_t samples = static_cast<std::size_t>(network_.crop.planes) *
                              static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  Result<DeviceBuffer<Byte>> input = DeviceBuffer<Byte>::create(context_, samples);
  if (!input) return input.error();
  input_ = std::move(*input);
  constexpr auto kNumbers = static_cast<std::size_t>(kMaxCandidates * kResults);
  Result<DualBuffer<float>> results = DualBuffer<float>::create(context_, Use::result, kNumbers);
  if (!results) return results.error();
  results_ = std::move(*results);
  bytes_ += samples + kNumbers * sizeof(float);
  return Done{};
}

Status SecondLookCuda::run(const Picture& picture, Detection* candidates, int count) {
  Plan& plan = *std::min_element(plans_.begin(), plans_.end(), [&](const Plan& a, const Plan& b) {
    return a.cost_of(count) < b.cost_of(count);
  });
  if (Status ok = plan.launch(stream(), picture, candidates, count, results_.device()); !ok)
    return ok;
  if (Status ok = results_.to_host(stream()); !ok) return ok;
  if (Status ok = wait(stream()); !ok) return ok;
  for (int i = 0; i < count; ++i)
    candidates[i] = corrected(candidates[i], results_.host() + i * kResults);
  return Done{};
}

}  // namespace

Result<std::unique_ptr<SecondLook>> make_second_look_cuda(const Context& context, Network network,
                                                          int width, int height,
                                                          const CudaBlocks& blocks) {
  if (context.backend() != Backend::cuda)
    return Error{Errc::unsupported, 0, kMakeSecondLook, "the context's backend is the CPU"};
  if (Status ok = check_made(network, width, height); !ok) return ok.error();
  return or_no_memory(kMakeSecondLook, [&]() -> Result<std::unique_ptr<SecondLook>> {
    auto made = std::make_unique<SecondLookCuda>(context, std::move(network), width, height);
    if (Status ok = made->create(blocks); !ok) return ok.error();
    return std::unique_ptr<SecondLook>{std::move(made)};
  });
}

}  // namespace kerb::net
