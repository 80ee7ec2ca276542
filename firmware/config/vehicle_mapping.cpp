// SPDX-License-Identifier: Apache-2.0
#include "firmware/config/vehicle_mapping.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "firmware/config/can_schema.hpp"
#include "firmware/config/schema.hpp"
#include "firmware/dbc/dbc.hpp"
#include "firmware/schema/reference.hpp"
#include "firmware/schema/words.hpp"

namespace kerb::config {
namespace {

using schema::decimal;
using std::chrono::milliseconds;

constexpr unsigned kMostBits = 32;      // of a signal: no vehicle needs more
constexpr double kLeastSpeed_mps = 25;  // that the signal can tell: 90 km/h; with less the unit is
                                        // wrong
constexpr double kLeastYawRate_radps = 0.5, kLeastSteering_rad = 0.3;  // either way
constexpr int kMotionCycleMost_ms = 100;
constexpr int kStaleCycles = 10;
constexpr Nanos kMotionStaleMost = milliseconds{500}, kBodyStaleMost = milliseconds{5000};
// Of Kerbwatch's own messages, as in firmware/can, which stands above.
constexpr std::array<std::uint32_t, 5> kOwnIds = {0x220, 0x320, 0x420, 0x428, 0x6B0};

/// A signal of the DBC file, and the message of the layout that it is in.
struct Found {
  int message = -1;
  const dbc::Signal* signal = nullptr;
  [[nodiscard]] SignalBits bits() const {
    return {static_cast<std::uint8_t>(signal->start), static_cast<std::uint8_t>(signal->length),
            signal->big_endian};
  }
};

std::optional<std::vector<std::uint32_t>> parse_numbers(std::string_view text) {
  std::vector<std::uint32_t> out;
  if (text.empty()) return out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    std::string_view one = text.substr(from, comma - from);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), number);
    if (error != std::errc{} || end != one.data() + one.size()) return std::nullopt;
    out.push_back(number);
    from = comma + 1;
  }
  return out;
}

class Mapper {
 public:
  Mapper(const Config& config, const dbc::File& file, std::string dbc_path, schema::Reader& reader)
      : config_{config},
        map_{config.can.mapping},
        file_{file},
        dbc_path_{std::move(dbc_path)},
        reader_{reader} {}

  /// Nothing: something is wrong, and was reported.
  std::optional<VehicleLayout> map() {
    number("speed", map_.speed, map_.speed_valid, "speed_valid", map_.speed_backwards,
           "speed_backwards", speed_unit(), out_.speed);
    number("yaw_rate", map_.yaw_rate, map_.yaw_rate_valid, "yaw_rate_valid", map_.yaw_rate_right,
           "yaw_rate_right", angle_unit(map_.yaw_rate_unit, map_.yaw_rate_positive), out_.yaw_rate);
    number("steering", map_.steering, map_.steering_valid, "steering_valid", map_.steering_right,
           "steering_right",
           angle_unit(map_.steering_unit, map_.steering_positive) / map_.steering_ratio,
           out_.steering);
    need(!map_.speed.empty(), "speed", "must be set: MESSAGE.SIGNAL of can.layout.dbc");
    need(!map_.yaw_rate.empty(), "yaw_rate", "must be set: MESSAGE.SIGNAL of can.layout.dbc");
    turn_signals();
    gear();
    pair("off_button", map_.off_button, out_.off_button, "confirm_button", map_.confirm_button,
         out_.confirm_button);
    ignition();
    dial("lamp_brightness", map_.lamp_brightness, out_.lamp_brightness);
    dial("sound_volume", map_.sound_volume, out_.sound_volume);
    messages();
    check_ranges();
    if (!good_) return std::nullopt;
    return out_;
  }

 private:
  static std::string key(const char* name) { return std::string{"can.layout."} + name; }
  void report(const std::string& full_key, std::string rule) {
    good_ = false;
    const bool is_table = full_key == "can.layout";
    reader_.report(full_key, is_table ? "" : schema::value_at(config_table(), &config_, full_key),
                   std::move(rule));
  }
  bool need(bool holds, const char* name, std::string rule) {
    if (!holds) report(key(name), std::move(rule));
    return holds;
  }
  [[nodiscard]] std::string place(const schema::Where& where) const {
    return " (" + schema::printable(dbc_path_, 200) + ":" + std::to_string(where.line) + ")";
  }

  [[nodiscard]] double speed_unit() const {
    switch (map_.speed_unit) {
      case SpeedUnit::kmh:
        return 1 / 3.6;
      case SpeedUnit::mph:
        return 0.44704;
      case SpeedUnit::mps:
        break;
    }
    return 1;
  }
  static double angle_unit(AngleUnit unit, Side positive) {
    const double size = unit == AngleUnit::degrees ? std::numbers::pi / 180 : 1;
    return positive == Side::left ? size : -size;
  }

  /// The signal that the key names; nothing where it names none, or one that cannot be used.
  std::optional<Found> find(const char* name, const std::string& text) {
    return text.empty() ? std::nullopt : find_named(key(name), text);
  }
  std::optional<Found> find_named(const std::string& full_key, const std::string& text) {
    const std::size_t dot = text.find('.');
    if (dot == std::string::npos || dot == 0 || dot + 1 == text.size()) {
      report(full_key, "must be MESSAGE.SIGNAL, as in " + schema::printable(dbc_path_, 200));
      return std::nullopt;
    }
    const std::string message_name = text.substr(0, dot), signal_name = text.substr(dot + 1);
    const dbc::Message* message = file_.find(message_name);
    if (message == nullptr) {
      std::vector<std::string_view> names;
      for (const dbc::Message& one : file_.messages) names.emplace_back(one.name);
      report(full_key, "there is no message " + schema::quoted(message_name) + " in " +
                           schema::printable(dbc_path_, 200) +
                           schema::did_you_mean(message_name, names));
      return std::nullopt;
    }
    const dbc::Signal* signal = message->find(signal_name);
    if (signal == nullptr) {
      std::vector<std::string_view> names;
      for (const dbc::Signal& one : message->signals) names.emplace_back(one.name);
      report(full_key, "the message has no signal " + schema::quoted(signal_name) +
                           place(message->where) + schema::did_you_mean(signal_name, names));
      return std::nullopt;
    }
    const auto refuse = [&](const char* why) {
      report(full_key, why + place(signal->where));
      return std::nullopt;
    };
    if (signal->multiplex == dbc::Multiplex::selected)
      return refuse("is multiplexed, which Kerbwatch cannot read");
    if (signal->is_float) return refuse("is a floating-point signal, which Kerbwatch cannot read");
    if (signal->length > kMostBits) return refuse("has more than 32 bits");
    const std::optional<int> index = index_of(*message, full_key);
    if (!index) return std::nullopt;
    if (!claim(*index, *signal, full_key)) return std::nullopt;
    return Found{*index, signal};
  }

  /// The message's place in the layout, which it gets with its first signal.
  std::optional<int> index_of(const dbc::Message& message, const std::string& full_key) {
    const auto known = std::ranges::find(used_, &message);
    if (known != used_.end()) return static_cast<int>(known - used_.begin());
    const auto refuse = [&](const std::string& why) {
      report(full_key, "message " + message.name + " " + why + place(message.where));
      return std::nullopt;
    };
    if (message.size > 8) return refuse("has more than 8 bytes: CAN FD is not read");
    if (used_.size() >= VehicleLayout::kMostMessages) return refuse("is one too many: at most 8");
    const DiagnosticsSettings& tester = config_.diagnostics;
    const bool tester_has =
        tester.enabled && (message.id == tester.request_id || message.id == tester.response_id ||
                           message.id == tester.functional_id);
    if (!message.extended &&
        (tester_has || std::ranges::find(kOwnIds, message.id) != kOwnIds.end()))
      return refuse("has an identifier that Kerbwatch uses itself");
    VehicleMessage& made = out_.messages[used_.size()];
    made.id = message.id;
    made.extended = message.extended;
    made.size = static_cast<std::uint8_t>(message.size);
    used_.push_back(&message);
    claimed_.emplace_back();
    return out_.message_count++;
  }

  /// Notes the signal's bits; false: another key has some of them.
  bool claim(int message, const dbc::Signal& signal, const std::string& full_key) {
    auto& bits = claimed_[static_cast<std::size_t>(message)];
    for (unsigned i = 0; i < signal.length; ++i) {
      const auto [at, is_new] = bits.try_emplace(dbc::place_of_bit(signal, i), full_key);
      if (is_new || at->second == full_key) continue;
      report(full_key, "overlaps " + at->second + place(signal.where));
      return false;
    }
    return true;
  }

  void number(const char* name, const std::string& text, const std::string& valid,
              const char* valid_name, const std::string& negative, const char* negative_name,
              double unit, NumberSignal& out) {
    const std::optional<Found> found = find(name, text);
    if (text.empty()) {
      for (const auto& [other, value] :
           {std::pair{valid_name, &valid}, std::pair{negative_name, &negative}})
        need(value->empty(), other, "must be empty without " + key(name));
      return;
    }
    if (!found) return;
    scale(*found, name, out);
    out.unit = unit;
    flag_beside(valid_name, valid, *found, name, out.valid);
    flag_beside(negative_name, negative, *found, name, out.negative);
  }
  /// As the DBC file scales it, within the range that it states there.
  void scale(const Found& found, const char* name, NumberSignal& out) {
    const dbc::Signal& signal = *found.signal;
    out.message = found.message;
    out.bits = found.bits();
    out.is_signed = signal.is_signed;
    out.factor = signal.factor;
    out.offset = signal.offset;
    const std::int64_t most = (std::int64_t{1} << (signal.length - (signal.is_signed ? 1 : 0))) - 1;
    out.raw_max = most;
    out.raw_min = signal.is_signed ? -most - 1 : 0;
    if (signal.low != 0 || signal.high != 0) {
      const double a = (signal.low - signal.offset) / signal.factor,
                   b = (signal.high - signal.offset) / signal.factor;
      const auto raw = [&](double x) {
        return std::llround(std::clamp(std::round(x), static_cast<double>(out.raw_min),
                                       static_cast<double>(out.raw_max)));
      };
      const std::int64_t low = raw(std::min(a, b)), high = raw(std::max(a, b));
      need(signal.low < signal.high && low < high, name,
           "its range in the DBC file has no values" + place(signal.where));
      out.raw_min = low;
      out.raw_max = high;
    }
  }
  /// 0..1 from one end of its range to the other.
  void dial(const char* name, const std::string& text, NumberSignal& out) {
    const std::optional<Found> found = find(name, text);
    if (!found) return;
    scale(*found, name, out);
    const auto value = [&](std::int64_t raw) {
      return static_cast<double>(raw) * out.factor + out.offset;
    };
    const double low = std::min(value(out.raw_min), value(out.raw_max)),
                 high = std::max(value(out.raw_min), value(out.raw_max));
    if (high <= low) return;  // told above
    out.factor /= high - low;
    out.offset = (out.offset - low) / (high - low);
  }
  void flag_beside(const char* name, const std::string& text, const Found& main,
                   const char* main_name, SignalBits& out) {
    const std::optional<Found> found = find(name, text);
    if (!found) return;
    if (need(found->message == main.message, name,
             "must be in the same message as " + key(main_name)))
      out = found->bits();
  }

  /// Two flags that must be in one message.
  void pair(const char* first, const std::string& first_text, FlagSignal& first_out,
            const char* second, const std::string& second_text, FlagSignal& second_out) {
    const std::optional<Found> a = find(first, first_text), b = find(second, second_text);
    if (a) first_out = {a->message, a->bits()};
    if (b) second_out = {b->message, b->bits()};
    if (a && b)
      need(a->message == b->message, second, "must be in the same message as " + key(first));
    need(first_text.empty() == second_text.empty(), first_text.empty() ? first : second,
         "must be set where " + key(first_text.empty() ? second : first) + " is");
  }

  void ignition() {
    const char* const name = "ignition_cycle";
    const std::optional<Found> found = find(name, map_.ignition_cycle);
    if (!found) return;
    need(found->message == out_.off_button.message, name,
         "must be in the same message as " + key("off_button"));
    need(found->signal->length <= 8, name, "has more than 8 bits" + place(found->signal->where));
    out_.ignition_cycle = {found->message, found->bits()};
  }

  struct Meaning {
    const char* name;
    const std::string& text;
    int value;
  };
  /// `other`: the value of all other numbers; -1: they are implausible.
  void choice(const char* name, const std::string& text, std::initializer_list<Meaning> meanings,
              int other, ChoiceSignal& out) {
    const std::optional<Found> found = find(name, text);
    if (text.empty()) {
      for (const Meaning& meaning : meanings)
        need(meaning.text.empty(), meaning.name, "must be empty without " + key(name));
      return;
    }
    if (!found) return;
    out.message = found->message;
    out.bits = found->bits();
    std::map<std::uint32_t, const char*> taken;
    for (const Meaning& meaning : meanings) {
      const std::optional<std::vector<std::uint32_t>> numbers = parse_numbers(meaning.text);
      if (!need(numbers.has_value(), meaning.name, "must be whole numbers, separated by commas"))
        continue;
      for (const std::uint32_t raw : *numbers) {
        const std::uint64_t most = (std::uint64_t{1} << out.bits.length) - 1;
        if (!need(raw <= most, meaning.name,
                  "must be at most " + std::to_string(most) + ": the signal has no more" +
                      place(found->signal->where)))
          continue;
        const auto [at, is_new] = taken.try_emplace(raw, meaning.name);
        if (!need(is_new, meaning.name,
                  std::to_string(raw) + " is in " + key(at->second) + ", too"))
          continue;
        if (!need(out.meaning_count < static_cast<int>(ChoiceSignal::kMostMeanings), meaning.name,
                  "at most 32 numbers in all lists of " + key(name)))
          return;
        out.meanings[static_cast<std::size_t>(out.meaning_count++)] = {
            raw, static_cast<std::uint8_t>(meaning.value)};
      }
    }
    if (other >= 0) out.other = static_cast<std::uint8_t>(other);
  }
  void turn_signals() {
    const auto n = [](TurnSignal signal) { return static_cast<int>(signal); };
    choice("turn_signal", map_.turn_signal,
           {{"turn_signal_off", map_.turn_signal_off, n(TurnSignal::off)},
            {"turn_signal_left", map_.turn_signal_left, n(TurnSignal::left)},
            {"turn_signal_right", map_.turn_signal_right, n(TurnSignal::right)},
            {"turn_signal_hazard", map_.turn_signal_hazard, n(TurnSignal::hazard)},
            {"turn_signal_none", map_.turn_signal_none, n(TurnSignal::not_available)}},
           map_.turn_signal_off.empty() ? n(TurnSignal::off) : -1, out_.turn_signal);
    need(map_.turn_signal.empty() || !map_.turn_signal_left.empty(), "turn_signal_left",
         "must be set with can.layout.turn_signal");
    need(map_.turn_signal.empty() || !map_.turn_signal_right.empty(), "turn_signal_right",
         "must be set with can.layout.turn_signal");
    need(map_.turn_signal.empty() || map_.left_indicator.empty(), "left_indicator",
         "must be empty with can.layout.turn_signal");
    pair("left_indicator", map_.left_indicator, out_.turn_left, "right_indicator",
         map_.right_indicator, out_.turn_right);
  }
  void gear() {
    const auto n = [](Gear gear) { return static_cast<int>(gear); };
    choice("gear", map_.gear,
           {{"gear_reverse", map_.gear_reverse, n(Gear::reverse)},
            {"gear_park", map_.gear_park, n(Gear::park)},
            {"gear_neutral", map_.gear_neutral, n(Gear::neutral)},
            {"gear_drive", map_.gear_drive, n(Gear::drive)},
            {"gear_none", map_.gear_none, n(Gear::not_available)}},
           map_.gear_drive.empty() ? n(Gear::drive) : -1, out_.gear);
    need(map_.gear.empty() || !map_.gear_reverse.empty(), "gear_reverse",
         "must be set with can.layout.gear");
  }

  void messages() {
    std::vector<bool> stated(used_.size());
    for (std::size_t i = 0; i < map_.messages.size(); ++i) {
      const std::string table = "can.layout.message[" + std::to_string(i) + "]";
      const std::string& name = map_.messages[i].name;
      const auto used =
          std::ranges::find_if(used_, [&](const dbc::Message* m) { return m->name == name; });
      if (used == used_.end()) {
        std::vector<std::string_view> names;
        for (const dbc::Message* one : used_) names.emplace_back(one->name);
        if (good_)  // else it may be the one whose key is wrong
          report(table + ".name",
                 "no key of can.layout uses this message" + schema::did_you_mean(name, names));
        continue;
      }
      const auto index = static_cast<std::size_t>(used - used_.begin());
      if (stated[index]) {
        report(table + ".name", "there is a table for this message before");
        continue;
      }
      stated[index] = true;
      message(map_.messages[i], table, static_cast<int>(index));
    }
    for (std::size_t i = 0; i < used_.size(); ++i)
      if (!stated[i])
        report("can.layout",
               "message " + used_[i]->name +
                   " needs its [[can.layout.message]], which says how it is protected" +
                   place(used_[i]->where));
  }
  [[nodiscard]] bool moves(int index) const {
    return out_.speed.message == index || out_.yaw_rate.message == index ||
           out_.steering.message == index;
  }
  void message(const VehicleMessageSettings& settings, const std::string& table, int index) {
    const dbc::Message& of = *used_[static_cast<std::size_t>(index)];
    VehicleMessage& out = out_.messages[static_cast<std::size_t>(index)];
    const int cycle = settings.cycle_ms > 0 ? settings.cycle_ms : of.cycle_ms.value_or(0);
    const int most = moves(index) ? kMotionCycleMost_ms : 1000;
    if (cycle == 0)
      report(table + ".cycle_ms", "must be set: the DBC file does not say it" + place(of.where));
    else if (cycle > most)
      report(table + ".cycle_ms", "is " + std::to_string(cycle) + " ms, must be at most " +
                                      std::to_string(most) + " ms for what it carries" +
                                      place(of.where));
    out.cycle = milliseconds{cycle};
    const char* const stale_key =
        moves(index) ? "can.vehicle.motion_stale_ms" : "can.vehicle.body_stale_ms";
    const Nanos told =
        moves(index) ? config_.can.vehicle.motion_stale : config_.can.vehicle.body_stale;
    const VehicleLimits usual;
    if (told == (moves(index) ? usual.motion_stale : usual.body_stale))
      out.stale =
          std::min(kStaleCycles * out.cycle, moves(index) ? kMotionStaleMost : kBodyStaleMost);
    else if (told < 2 * out.cycle)
      report(stale_key, "must be at least two cycles of message " + of.name + ", " +
                            std::to_string(2 * cycle) + " ms");
    if (!settings.counter.empty()) counter(settings, table, of, out);
    if (settings.counter.empty() && settings.counter_values != 0)
      report(table + ".counter_values", "must be 0 without a counter");
    if (!reader_.has(table + ".checksum"))
      report(table + ".checksum", "must be set: \"none\" where the message has no checksum");
    checksum(settings, table, of, out);
  }
  void counter(const VehicleMessageSettings& settings, const std::string& table,
               const dbc::Message& of, VehicleMessage& out) {
    const std::optional<Found> found =
        find_named(table + ".counter", of.name + "." + settings.counter);
    if (!found) return;
    const unsigned bits = found->signal->length;
    if (bits < 2 || bits > 8) {
      report(table + ".counter", "must have 2..8 bits" + place(found->signal->where));
      return;
    }
    const int all = 1 << bits;
    out.counter = found->bits();
    out.counter_values = settings.counter_values > 0 ? settings.counter_values : all;
    if (out.counter_values < 3 || out.counter_values > all)
      report(table + ".counter_values", "must be 3.." + std::to_string(all) +
                                            ", what its bits can tell" +
                                            place(found->signal->where));
  }
  void checksum(const VehicleMessageSettings& settings, const std::string& table,
                const dbc::Message& of, VehicleMessage& out) {
    const bool has = settings.checksum != Checksum::none;
    if (!has) {
      if (!settings.checksum_signal.empty())
        report(table + ".checksum_signal", "must be empty without a checksum");
      if (settings.data_id) report(table + ".data_id", "must be unset without a checksum");
      return;
    }
    if (settings.checksum_signal.empty())
      return report(table + ".checksum_signal", "must be set: the byte that holds it");
    const std::optional<Found> found =
        find_named(table + ".checksum_signal", of.name + "." + settings.checksum_signal);
    if (!found) return;
    const dbc::Signal& signal = *found->signal;
    const unsigned first = dbc::place_of_bit(signal, 0);
    if (signal.length != 8 || first % 8 != 0)
      return report(table + ".checksum_signal", "must be a whole byte" + place(signal.where));
    out.checksum = settings.checksum;
    out.checksum_byte = static_cast<std::uint8_t>(first / 8);
    if (settings.data_id) out.data_id = static_cast<std::uint16_t>(*settings.data_id);
  }

  void check_ranges() {
    // The largest and smallest that a signal can tell, in SI units.
    struct Range {
      double low, high;
    };
    const auto range = [](const NumberSignal& s) {
      const double a = (static_cast<double>(s.raw_min) * s.factor + s.offset) * s.unit,
                   b = (static_cast<double>(s.raw_max) * s.factor + s.offset) * s.unit;
      Range out{std::min(a, b), std::max(a, b)};
      if (s.negative.length > 0) out = {std::min(out.low, -out.high), std::max(out.high, -out.low)};
      return out;
    };
    const auto reach = [](const Range& r, const char* unit) {
      return "can tell " + decimal(std::round(r.low * 100) / 100) + ".." +
             decimal(std::round(r.high * 100) / 100) + " " + unit;
    };
    if (out_.speed.message >= 0) {
      const Range r = range(out_.speed);
      need(r.high >= kLeastSpeed_mps, "speed",
           reach(r, "m/s") + ", must reach 25 m/s; is can.layout.speed_unit right?");
      need(r.low < 0 || out_.gear.message >= 0, "gear",
           "must be set: the speed has no number for backwards");
    }
    const auto either_way = [&](const NumberSignal& signal, const char* name, double least,
                                const char* unit, const char* unit_key) {
      if (signal.message < 0) return;
      const Range r = range(signal);
      need(r.high >= least && r.low <= -least, name,
           reach(r, unit) + ", must reach " + decimal(least) + " either way; is can.layout." +
               unit_key + " right?");
    };
    either_way(out_.yaw_rate, "yaw_rate", kLeastYawRate_radps, "rad/s", "yaw_rate_unit");
    either_way(out_.steering, "steering", kLeastSteering_rad, "rad", "steering_unit");
  }

  const Config& config_;
  const VehicleMapping& map_;
  const dbc::File& file_;
  std::string dbc_path_;
  schema::Reader& reader_;
  VehicleLayout out_;
  std::vector<const dbc::Message*> used_;                 ///< in the order of the layout
  std::vector<std::map<unsigned, std::string>> claimed_;  ///< of each, which key has which bit
  bool good_ = true;
};

}  // namespace

std::vector<schema::Problem> map_vehicle(Config& config, schema::Reader& reader) {
  const VehicleMapping& mapping = config.can.mapping;
  if (reader.is_bad("can.layout") || reader.is_bad("can.vehicle")) return {};
  if (mapping.dbc.empty()) {
    const Config usual;
    for (const schema::Field& field : can_layout_table().fields) {
      const std::string key = std::string{"can.layout."} + field.name;
      if (field.table != nullptr ? !mapping.messages.empty()
                                 : schema::value_at(config_table(), &config, key) !=
                                       schema::value_at(config_table(), &usual, key))
        reader.report(key, "", "has no meaning without can.layout.dbc");
    }
    return {};
  }
  namespace fs = std::filesystem;
  fs::path path = mapping.dbc;
  if (path.is_relative()) path = fs::path{reader.file()}.parent_path() / path;
  dbc::File file = dbc::read(path.string());
  if (!file.problems.empty()) return std::move(file.problems);
  if (const std::optional<VehicleLayout> layout = Mapper{config, file, path.string(), reader}.map())
    config.can.layout = *layout;
  return {};
}

std::vector<std::string> notes_on(const VehicleMapping& mapping, const VehicleLayout& layout) {
  std::vector<std::string> out;
  if (mapping.dbc.empty()) return out;
  for (const VehicleMessageSettings& message : mapping.messages) {
    if (message.checksum == Checksum::none)
      out.push_back("message " + message.name + " has no checksum: changed bits are not noticed");
    if (message.counter.empty())
      out.push_back("message " + message.name +
                    " has no counter: that it is repeated or late is not noticed");
  }
  if (layout.gear.message < 0) out.emplace_back("no gear: reversing is known by the speed alone");
  if (layout.turn_signal.message < 0 && layout.turn_left.message < 0)
    out.emplace_back("no turn signal: turns are not expected");
  return out;
}

}  // namespace kerb::config
