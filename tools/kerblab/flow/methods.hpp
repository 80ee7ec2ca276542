// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "gpu/flow/flow.hpp"
#include "gpu/memory/workers.hpp"
#include "tools/flow/field.hpp"

namespace kerb::lab {

using GreyView = ImageView<Space::host, const std::uint8_t>;

/// A flow method, Kerbwatch's or OpenCV's, behind one interface.
class FlowMethod {
 public:
  FlowMethod() = default;
  FlowMethod(const FlowMethod&) = delete;
  FlowMethod& operator=(const FlowMethod&) = delete;
  virtual ~FlowMethod() = default;

  /// Makes what pictures of this size need, so that run() is the method alone.
  virtual Status prepare(int width, int height) = 0;
  /// `out` has the size that was prepared; ours also fill its quality and flags. `mask` may be
  /// empty. Fails: as flow::Estimator; unsupported (OpenCV's, with a mask).
  virtual Status run(const GreyView& previous, const GreyView& next, const GreyView& mask,
                     Field& out) = 0;
  [[nodiscard]] virtual std::size_t bytes() const noexcept { return 0; }  ///< held; 0: not known
  /// How many parts a picture is gone through in: 1 where tiles would save no memory.
  [[nodiscard]] virtual std::size_t windows() const noexcept { return 1; }
};

struct MethodName {
  const char* name;
  const char* text;
  bool ours;
};
/// All there are, ours first.
[[nodiscard]] const std::vector<MethodName>& flow_methods();

/// One of OpenCV's by its name above: two pictures in, two floats a pixel out. Throws as OpenCV
/// does. Empty: no such name.
using OpencvFlow = std::function<void(const cv::Mat&, const cv::Mat&, cv::Mat&)>;
[[nodiscard]] OpencvFlow opencv_flow(const std::string& name);

/// Settings of Kerbwatch's methods; 0 and negative: the method's default.
struct FlowSettings {
  int levels = 0;
  int reach = 0;  ///< pixels; over 0: largest motion, and the number of levels follows from it
  int tile = 0;   ///< over 0: through the pictures in tiles of about this side
};

/// By name. Context and workers must outlive it. Fails: invalid_argument (no such name; a setting
/// out of its range).
Result<std::unique_ptr<FlowMethod>> make_flow_method(const std::string& name,
                                                     const Context& context, Workers& workers,
                                                     const FlowSettings& settings);

}  // namespace kerb::lab
