// SPDX-License-Identifier: Apache-2.0
#include "drivers/v4l2/signal_monitor.hpp"

#include <cerrno>
#include <cmath>

namespace kerb::v4l2 {
namespace {

constexpr const char* kWhere = "check camera signal";
constexpr std::chrono::milliseconds kBetweenLooks{100};

struct Trouble {
  std::uint32_t bits;
  const char* text;
};
constexpr Trouble kTroubles[] = {
    {V4L2_IN_ST_NO_POWER, "no power"},
    {V4L2_IN_ST_NO_SIGNAL, "no signal"},
    {V4L2_IN_ST_NO_H_LOCK | V4L2_IN_ST_NO_V_LOCK | V4L2_IN_ST_NO_SYNC, "no sync"},
    {V4L2_IN_ST_NO_CARRIER, "no carrier"},
};

/// 0 or -errno.
int query_timings(const Device& device, v4l2_dv_timings& timings) noexcept {
  timings = {};
  return device.call(VIDIOC_QUERY_DV_TIMINGS, &timings);
}

Error timings_error(const Device& device, int rc) noexcept {
  // A signal out of the receiver's range counts as none, and may recover.
  if (rc == -ERANGE)
    return device.error_text(Errc::no_signal, kWhere, "signal out of the receiver's range");
  return device.error(rc, kWhere);
}

/// Whether both give the same picture: receivers measure the pixel clock only roughly.
bool same(const v4l2_bt_timings& a, const v4l2_bt_timings& b) noexcept {
  const double clock = static_cast<double>(a.pixelclock);
  return a.width == b.width && a.height == b.height && a.interlaced == b.interlaced &&
         std::abs(clock - static_cast<double>(b.pixelclock)) <= 0.01 * clock;
}

/// Whether the receiver already runs with these timings. They are not set again, because a driver
/// may round the pixel clock each time (vivid does, downwards): the signal would then seem to have
/// changed.
bool are_set(const Device& device, const v4l2_dv_timings& wanted) noexcept {
  v4l2_dv_timings current{};
  if (device.call(VIDIOC_G_DV_TIMINGS, &current) < 0) return false;
  const v4l2_bt_timings& a = current.bt;
  const v4l2_bt_timings& b = wanted.bt;
  return same(a, b) && a.pixelclock == b.pixelclock &&
         V4L2_DV_BT_FRAME_WIDTH(&a) == V4L2_DV_BT_FRAME_WIDTH(&b) &&
         V4L2_DV_BT_FRAME_HEIGHT(&a) == V4L2_DV_BT_FRAME_HEIGHT(&b);
}

}  // namespace

Result<SignalMonitor> SignalMonitor::start(const Device& device) {
  SignalMonitor monitor;
  monitor.has_input_ = device.call(VIDIOC_G_INPUT, &monitor.input_) >= 0;
  v4l2_input input{};
  input.index = static_cast<std::uint32_t>(monitor.input_);
  const int rc = monitor.has_input_ ? device.call(VIDIOC_ENUMINPUT, &input) : -ENOTTY;
  if (rc == -ENODEV) return device.error(rc, kWhere);
  monitor.has_input_ = rc >= 0;

  if (monitor.has_input_ && (input.capabilities & V4L2_IN_CAP_DV_TIMINGS) != 0) {
    const int queried = query_timings(device, monitor.timings_);
    if (queried >= 0) {
      monitor.has_timings_ = true;
      v4l2_dv_timings wanted = monitor.timings_;
      if (!are_set(device, wanted))
        if (const int set = device.call(VIDIOC_S_DV_TIMINGS, &wanted); set < 0)
          return device.error(set, "set camera timings");
    } else if (queried != -ENOTTY && queried != -ENODATA) {
      return timings_error(device, queried);
    }
  }
  v4l2_event_subscription subscription{};
  subscription.type = V4L2_EVENT_SOURCE_CHANGE;
  subscription.id = static_cast<std::uint32_t>(monitor.input_);
  monitor.has_events_ = device.call(VIDIOC_SUBSCRIBE_EVENT, &subscription) >= 0;
  return monitor;
}

double SignalMonitor::rate_hz() const noexcept {
  if (!has_timings_) return 0;
  const v4l2_bt_timings& bt = timings_.bt;
  const double total = static_cast<double>(V4L2_DV_BT_FRAME_WIDTH(&bt)) *
                       static_cast<double>(V4L2_DV_BT_FRAME_HEIGHT(&bt));
  return total > 0 ? static_cast<double>(bt.pixelclock) / total : 0;
}

bool SignalMonitor::is_due(Nanos now) const noexcept {
  return has_input_ && (lost_ || now >= next_check_);
}

Status SignalMonitor::check(const Device& device, Nanos now, bool thorough) noexcept {
  next_check_ = now + kBetweenLooks;
  Status status = read_status(device);
  if (status && (lost_ || thorough)) status = compare_timings(device);
  lost_ = !status && status.error().code == Errc::no_signal;
  return status;
}

Status SignalMonitor::take_events(const Device& device, Nanos now) noexcept {
  for (int i = 0; i < 16; ++i) {
    v4l2_event event{};
    const int rc = device.call(VIDIOC_DQEVENT, &event);
    if (rc == -ENODEV) return device.error(rc, kWhere);
    if (rc < 0 || event.pending == 0) break;
  }
  return check(device, now, true);
}

Status SignalMonitor::read_status(const Device& device) const noexcept {
  if (!has_input_) return Done{};
  v4l2_input input{};
  input.index = static_cast<std::uint32_t>(input_);
  if (const int rc = device.call(VIDIOC_ENUMINPUT, &input); rc < 0)
    return device.error(rc, kWhere, Errc::gone);
  for (const Trouble& trouble : kTroubles)
    if ((input.status & trouble.bits) != 0)
      return device.error_text(Errc::no_signal, kWhere, "%s", trouble.text);
  return Done{};
}

Status SignalMonitor::compare_timings(const Device& device) const noexcept {
  if (!has_timings_) return Done{};
  v4l2_dv_timings now{};
  if (const int rc = query_timings(device, now); rc < 0) return timings_error(device, rc);
  if (same(timings_.bt, now.bt)) return Done{};
  return device.error_text(Errc::gone, kWhere, "the signal changed from %ux%u to %ux%u",
                           timings_.bt.width, timings_.bt.height, now.bt.width, now.bt.height);
}

}  // namespace kerb::v4l2
