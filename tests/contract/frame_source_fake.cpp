// SPDX-License-Identifier: Apache-2.0
#include "hal/fake/clock.hpp"
#include "hal/fake/frame_source.hpp"
#include "tests/contract/frame_source_contract.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;

class FakeFixture final : public contract::FrameSourceFixture {
 public:
  FakeFixture(const char* name, const Clock& clock, PixelFormat format)
      : name_{name}, clock_{clock}, format_{format} {}
  [[nodiscard]] const char* name() const override { return name_; }
  Result<std::unique_ptr<FrameSource>> make(double rate_hz, int buffers) override {
    FrameSourceInfo info = FakeFrameSource::default_info();
    info.format = format_;
    info.width = 64;
    info.height = 48;
    info.rate_hz = rate_hz;
    return std::unique_ptr<FrameSource>{std::make_unique<FakeFrameSource>(clock_, info, buffers)};
  }
  [[nodiscard]] const Clock& clock() const override { return clock_; }
  void expose(FrameSource& source) override { static_cast<FakeFrameSource&>(source).push(); }

 private:
  const char* name_;
  const Clock& clock_;
  PixelFormat format_;
};

}  // namespace

SUITE_MAIN(words) {
  const SystemClock real;
  const FakeClock still;
  FakeFixture on_real{"fake, system clock", real, PixelFormat::grey8};
  FakeFixture on_still{"fake, fake clock", still, PixelFormat::nv12};
  return contract::run_frame_source_contract({&on_real, &on_still});
}
