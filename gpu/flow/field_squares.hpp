// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "gpu/flow/corners.hpp"
#include "gpu/flow/flow.hpp"
#include "hal/vision.hpp"

namespace kerb::flow {

/// The most trusted vector of each of some squares of a dense field that lies on the device, found
/// there: what comes back is a few kilobytes instead of the field. Made once for a number of
/// squares; allocates nothing after. CUDA only. One thread at a time.
class FieldSquares {
 public:
  /// A vector of the field, where it is, and its quality; 0: there was none.
  struct Best {
    int x = 0, y = 0;
    float u = 0, v = 0;
    int quality = 0;
  };

  FieldSquares() = default;
  FieldSquares(const FieldSquares&) = delete;
  FieldSquares& operator=(const FieldSquares&) = delete;
  virtual ~FieldSquares() = default;

  virtual void clear() noexcept = 0;
  /// One more, if there is room; with a box, of those vectors that lead into it. The box is in
  /// pixels of a picture `reduction` times as large as the field.
  virtual bool add(const Square& square, const Detection* box) noexcept = 0;
  [[nodiscard]] virtual int count() const noexcept = 0;
  /// For each square, in order: the first valid vector, row by row, of the best quality. Waits for
  /// the stream. They live until the next call of any of these. Fails: device.
  virtual Result<const Best*> find(StreamRef stream, const FieldView<Space::device>& field) = 0;

  /// The picture made smaller by whole numbers, rounded means, as MotionPoints does on the host.
  /// Queued. `out` is as large as the field, its rows one after the other. Fails: device.
  virtual Status reduce(StreamRef stream, const Picture<Space::device>& from,
                        std::uint8_t* out) = 0;
};

/// For fields of this size. The context must outlive it. Fails: unsupported (a CPU context, or
/// built without CUDA), io or device (no memory).
Result<std::unique_ptr<FieldSquares>> make_field_squares(const Context& context, int width,
                                                         int height, int reduction, int most);

}  // namespace kerb::flow
