// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/cuda_estimator.hpp"

#include <cstring>
#include <utility>

namespace kerb::flow {
namespace {

template <typename View>
bool same_view(const View& a, const View& b) {
  return a.data == b.data && a.row_stride == b.row_stride;
}

}  // namespace

CudaEstimator::CudaEstimator(const Context& context, const char* where, const char* name, int width,
                             int height)
    : context_{context}, where_{where}, name_{name}, width_{width}, height_{height} {
  graphs_.reserve(kRoom);
}

bool CudaEstimator::same(const Frame& a, const Frame& b) noexcept {
  return same_view(a.previous, b.previous) && same_view(a.next, b.next) &&
         same_view(a.mask, b.mask) && a.out.u == b.out.u && a.out.v == b.out.v &&
         a.out.quality == b.out.quality && a.out.flags == b.out.flags &&
         a.out.row_stride == b.out.row_stride;
}

Status CudaEstimator::make_room() {
  const auto pixels = static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  if (Status ok = make(input_, 3 * pixels); !ok) return ok;
  Result<FlowField> field = FlowField::create(context_, width_, height_);
  if (!field) return field.error();
  field_ = std::move(*field);
  return wait(context_.stream());
}

Status CudaEstimator::upload_picture(int which, const Picture<Space::host>& from,
                                     Picture<Space::device>& to) {
  const auto columns = static_cast<std::size_t>(width_);
  const auto rows = static_cast<std::size_t>(height_);
  std::uint8_t* const at = input_.device_data() + columns * rows * static_cast<std::size_t>(which);
  to = {at, width_, height_, width_};
  return runtime::copy_rows(context_.stream().get(), runtime::Direction::to_device, at, columns,
                            from.data, static_cast<std::size_t>(from.row_stride), columns, rows);
}

Status CudaEstimator::run(const Picture<Space::host>& previous, const Picture<Space::host>& next,
                          const Mask<Space::host>& mask, const FieldView<Space::host>& out) {
  if (Status ok = check_pair(where_, width_, height_, previous, next, mask, out); !ok) return ok;
  Picture<Space::device> there[3];
  if (Status ok = upload_picture(0, previous, there[0]); !ok) return ok;
  if (Status ok = upload_picture(1, next, there[1]); !ok) return ok;
  if (mask.data != nullptr) {
    if (Status ok = upload_picture(2, mask, there[2]); !ok) return ok;
  }
  if (Status ok = run(there[0], there[1], there[2], field_.device()); !ok) return ok;
  if (Status ok = field_.to_host(context_.stream()); !ok) return ok;
  if (Status ok = wait(context_.stream()); !ok) return ok;
  const FieldView<Space::host> from = field_.host();
  const auto columns = static_cast<std::size_t>(width_);
  for (int y = 0; y < height_; ++y) {
    const std::ptrdiff_t source = y * from.row_stride, to = y * out.row_stride;
    std::memcpy(out.u + to, from.u + source, columns * sizeof(float));
    std::memcpy(out.v + to, from.v + source, columns * sizeof(float));
    if (out.quality != nullptr) std::memcpy(out.quality + to, from.quality + source, columns);
    if (out.flags != nullptr) std::memcpy(out.flags + to, from.flags + source, columns);
  }
  return Done{};
}

Status CudaEstimator::run(const Picture<Space::device>& previous,
                          const Picture<Space::device>& next, const Mask<Space::device>& mask,
                          const FieldView<Space::device>& out) {
  if (Status ok = check_pair(where_, width_, height_, previous, next, mask, out); !ok) return ok;
  const Frame frame{previous, next, mask, out};
  for (const Entry& entry : graphs_)
    if (same(entry.frame, frame)) return entry.graph.launch(context_.stream());
  Result<Graph> graph =
      Graph::record(context_.stream(), [&](StreamRef stream) { return queue(stream, frame); });
  if (!graph) return graph.error();
  if (graphs_.size() == kRoom) graphs_.erase(graphs_.begin());  // ever new places: the oldest
  graphs_.push_back({frame, std::move(*graph)});
  return graphs_.back().graph.launch(context_.stream());
}

}  // namespace kerb::flow
