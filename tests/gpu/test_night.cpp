// SPDX-License-Identifier: Apache-2.0
// Tone curve and temporal filter on the GPU: the CPU's bits, in every picture of a film.
#include "gpu/night/temporal_filter.hpp"
#include "gpu/night/tone_curve.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/night_cases.hpp"

using namespace kerb;
using namespace kerb::test;
using night::TemporalFilter;
using night::TemporalFilterSettings;
using night::ToneCurve;
using night::ToneCurveSettings;

namespace {

using There = PlanesView<Space::device, std::uint8_t>;
using ThereIn = PlanesView<Space::device, const std::uint8_t>;

const Context& host_context() {
  static Result<Context> made = Context::create(BackendChoice::cpu);
  return *made;
}

/// A canvas' shape over device memory.
There view_of(const NightCanvas& canvas, const DeviceBuffer<std::uint8_t>& buffer) {
  return {buffer.device_data(), canvas.count,  canvas.width,
          canvas.height,        canvas.stride, canvas.plane_stride()};
}

ThereIn input_of(const NightCanvas& canvas, const DeviceBuffer<std::uint8_t>& buffer) {
  return view_of(canvas, buffer);
}

TEST(tone_curve_equals_the_cpu_bit_for_bit) {
  Workers workers{1};
  for (const ToneCase& c : kToneCases)
    for (const int slack : {0, 3}) {
      const NightCanvas in = dark_picture(c.planes, c.width, c.height, slack, c.brightest, 11);
      NightCanvas expected{c.planes, c.width, c.height, slack};
      const DeviceBuffer<std::uint8_t> input = upload(in.bytes), output = upload(expected.bytes);
      Result<ToneCurve> here =
          ToneCurve::create(host_context(), c.settings, c.width, c.height, c.planes);
      Result<ToneCurve> there = ToneCurve::create(*gpu, c.settings, c.width, c.height, c.planes);
      TEST_ASSERT_OK(here);
      TEST_ASSERT_OK(there);
      const Result<bool> changed = here->run(workers, in.from(), expected.to());
      TEST_ASSERT_OK(changed);
      if (!*changed)  // the GPU copies
        for (int p = 0; p < c.planes; ++p)
          for (int y = 0; y < c.height; ++y)
            for (int x = 0; x < c.width; ++x)
              expected.bytes[expected.index(p, x, y)] = in.at(p, x, y);
      for (int i = 0; i < 2; ++i)  // again: nothing is left over from the first time
        TEST_ASSERT_OK(there->run(gpu->stream(), input_of(in, input), view_of(expected, output)));
      char name[80];
      std::snprintf(name, sizeof name, "%d x %dx%d, target %d, local %g", c.planes, c.width,
                    c.height, c.settings.target, c.settings.local);
      assert_equal_bits(expected.bytes, download(output, expected.bytes.size()), name);
    }
}

TEST(temporal_filter_equals_the_cpu_bit_for_bit) {
  Workers workers{1};
  const int frames = small_sizes() ? 5 : 12;
  for (const FilmCase& c : kFilmCases)
    for (const double floor : {1.0, 9.0, 40.0}) {
      TemporalFilterSettings settings;
      settings.noise_floor = floor;
      const NightFilm film{c.film};
      Result<TemporalFilter> here = TemporalFilter::create(host_context(), settings, c.film.width,
                                                           c.film.height, c.film.planes);
      Result<TemporalFilter> there =
          TemporalFilter::create(*gpu, settings, c.film.width, c.film.height, c.film.planes);
      TEST_ASSERT_OK(here);
      TEST_ASSERT_OK(there);
      for (int t = 0; t < frames; ++t) {
        const NightCanvas in = film.frame(t, 5);
        NightCanvas expected{c.film.planes, c.film.width, c.film.height, 3};
        const DeviceBuffer<std::uint8_t> input = upload(in.bytes), output = upload(expected.bytes);
        const auto motion = film.motion(t);
        const MotionField* given = c.with_motion && t != 3 ? motion.get() : nullptr;
        if (t == 9) {
          here->forget();
          there->forget();
        }
        TEST_ASSERT_OK(here->run(workers, in.from(), given, expected.to()));
        TEST_ASSERT_OK(
            there->run(gpu->stream(), input_of(in, input), given, view_of(expected, output)));
        char name[120];
        std::snprintf(name, sizeof name, "%s, noise %g, frame %d", c.name, floor, t);
        assert_equal_bits(expected.bytes, download(output, expected.bytes.size()), name);
      }
    }
}

TEST(both_refuse_on_the_gpu_too) {
  const NightCanvas shape{1, 64, 48, 0, 20};
  const DeviceBuffer<std::uint8_t> a = upload(shape.bytes), b = upload(shape.bytes);
  const There out = view_of(shape, b);
  const ThereIn in = view_of(shape, a);
  There low = out;
  low.height = 47;
  Workers workers{1};
  NightCanvas host{1, 64, 48};

  Result<ToneCurve> curve = ToneCurve::create(*gpu, {}, 64, 48, 1);
  TEST_ASSERT_OK(curve);
  TEST_ASSERT_OK(curve->run(gpu->stream(), in, out));
  TEST_ASSERT_ERROR(Errc::invalid_argument, curve->run(gpu->stream(), in, low));
  TEST_ASSERT_ERROR(Errc::unsupported, curve->run(workers, shape.from(), host.to()));
  Result<ToneCurve> cpu_curve = ToneCurve::create(host_context(), {}, 64, 48, 1);
  TEST_ASSERT_OK(cpu_curve);
  TEST_ASSERT_ERROR(Errc::unsupported, cpu_curve->run(gpu->stream(), in, out));

  Result<TemporalFilter> filter = TemporalFilter::create(*gpu, {}, 64, 48, 1);
  TEST_ASSERT_OK(filter);
  TEST_ASSERT_OK(filter->run(gpu->stream(), in, nullptr, out));
  TEST_ASSERT_ERROR(Errc::invalid_argument, filter->run(gpu->stream(), in, nullptr, low));
  TEST_ASSERT_ERROR(Errc::unsupported, filter->run(workers, shape.from(), nullptr, host.to()));
  Result<TemporalFilter> cpu_filter = TemporalFilter::create(host_context(), {}, 64, 48, 1);
  TEST_ASSERT_OK(cpu_filter);
  TEST_ASSERT_ERROR(Errc::unsupported, cpu_filter->run(gpu->stream(), in, nullptr, out));
  TEST_ASSERT_OK(wait(gpu->stream()));
}

}  // namespace

BEFORE_SUITE(words) { return kerb::test::open_gpu(); }

AFTER_SUITE() { gpu.reset(); }
