// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "hal/base/clock.hpp"
#include "hal/base/result.hpp"
#include "hal/camera_settings.hpp"
#include "hal/frame_memory.hpp"
#include "hal/frame_source.hpp"

namespace kerb {

/// Opens a FrameSource that is no camera, by `settings.kind`:
///   pattern  a moving test picture that carries its frame number (see frame_number.hpp), in any
///            PixelFormat; "auto" is yuyv, or grey8 with a mosaic; Bayer is rggb. Never ends.
///   folder   the pictures of a folder in natural order of name (2 before 10), at rate_hz. "auto"
///            takes the first picture's kind: bgr24, grey8, or grey16 for 16-bit grey. Otherwise
///            grey8, bgr24, rgb24, or a format of one sample a pixel that the pictures hold as they
///            are (recorded raw pictures).
///   video    a video file at its own rate (rate_hz where it names none). "auto" is bgr24; also
///            rgb24 and grey8.
/// A recording keeps its own size. With a mosaic a Bayer format is reported as grey of its depth,
/// because the filters are not Bayer's. Exposure, gain and memory mode of the settings are ignored.
///
/// Pace::real: frame n is due n periods after opening. Frames that are not taken wait, at most as
/// many as there are free buffers; older ones are dropped: a gap in the sequence, counted.
/// Pace::recorded: every call gives the next frame at once, stamped one period after the last. A
/// frame that cannot be read is Errc::damaged with its file's name, and keeps its place in the
/// sequence; the next call continues. Errc::end repeats.
///
/// Buffers (settings.buffers, 1..32) come from `memory`; it and `clock` must outlive the source and
/// its frames. Nothing is allocated per frame by the pattern; decoding pictures and videos does
/// allocate.
///
/// Fails: invalid_argument (a setting, named), not_found (no such folder or file, or no picture in
/// it), unsupported (format, or built without OpenCV), damaged (no readable picture or video), and
/// as `memory` does.
Result<std::unique_ptr<FrameSource>> open_replay(const CameraSettings& settings,
                                                 FrameMemory& memory, const Clock& clock);

}  // namespace kerb
