// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "firmware/config/config.hpp"
#include "firmware/types/people_report.hpp"
#include "hal/base/log.hpp"
#include "hal/can_bus.hpp"
#include "hal/output_line.hpp"
#include "hal/tone.hpp"
#include "hal/vision.hpp"
#include "tools/simulator/judge/truth.hpp"
#include "tools/simulator/run/sim_clock.hpp"

namespace kerb::sim {

class VisionKeeper;
struct VisionLog;

/// The candidate that is judged: the product, or a stand-in that tests the judge.
enum class Candidate : std::uint8_t {
  product,  ///< the firmware itself, in process
  oracle,   ///< warns from the truth
  always,   ///< warns of a collision as long as it is ACTIVE
  informs,  ///< always gives information
  never     ///< never warns, and reports ACTIVE
};
[[nodiscard]] const char* name_of(Candidate candidate) noexcept;

/// The interfaces through which a firmware reaches the car.
struct Reach {
  CanBus& bus;
  OutputLine& warning_lamp;
  OutputLine& status_lamp;
  Tone& tone;
};

/// A firmware under test, driven by the stepper on one thread.
class Firmware {
 public:
  virtual ~Firmware() = default;
  /// Whether it uses pictures; if not, none are rendered.
  [[nodiscard]] virtual bool uses_pictures() const noexcept { return false; }
  /// A picture taken at `captured` has arrived. Returns when it has been processed.
  virtual void show(const std::vector<std::uint8_t>& bytes, Nanos captured) {
    static_cast<void>(bytes);
    static_cast<void>(captured);
  }
  /// A picture was taken but is lost.
  virtual void miss() {}
  /// The control round; the clock stands at `now`.
  virtual void tick(Nanos now) = 0;
  virtual void finish(Nanos now) { static_cast<void>(now); }
  /// The people found in the last picture, and those followed, for reports.
  [[nodiscard]] virtual const DetectionList& found() { return none_found_; }
  [[nodiscard]] virtual const risk::PeopleReport& followed() { return none_followed_; }

 private:
  DetectionList none_found_;
  risk::PeopleReport none_followed_;
};

/// The product: pipeline and controller as in the car, on the scenario's clock. The camera of
/// `config` is the scenario's: its size, lens and mounting. Fails: as Vision::create() and
/// open_pipeline(); unsupported (a sensor the product has no format for).
Result<std::unique_ptr<Firmware>> make_product(const Config& config, const Scenario& scenario,
                                               const Reach& reach, SimClock& clock, Log& log);
/// The same, and `keeper`, which must outlive it, keeps all that vision delivers. Fails: also
/// unsupported, where the configuration asks for records of warnings too.
Result<std::unique_ptr<Firmware>> make_kept_product(const Config& config, const Scenario& scenario,
                                                    const Reach& reach, SimClock& clock, Log& log,
                                                    VisionKeeper& keeper);
/// The product with a log instead of its vision: it decides anew. Its
/// pictures are those of make_small_painter().
/// Fails: unsupported (a sensor without a format, a camera with bands, faults of the camera).
Result<std::unique_ptr<Firmware>> make_replaying_product(const Config& config,
                                                         const Scenario& scenario,
                                                         const Reach& reach, SimClock& clock,
                                                         Log& log,
                                                         std::shared_ptr<const VisionLog> vision);
/// A stand-in, through the product's own encoders and outputs. `truth` must outlive it.
std::unique_ptr<Firmware> make_stand_in(Candidate candidate, const Scenario& scenario,
                                        const Truth& truth, const Reach& reach, Nanos start);

/// The configuration for a scenario: `base`, with the scenario's camera and everything in memory
/// but for records of warnings.
[[nodiscard]] Config config_for(const Config& base, const Scenario& scenario);

}  // namespace kerb::sim
