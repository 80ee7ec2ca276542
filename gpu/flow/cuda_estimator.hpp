// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "gpu/flow/flow.hpp"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/graph_cuda.hpp"

namespace kerb::flow {

/// The common part of all methods on CUDA: takes pictures from host or device, records a frame's
/// work once for every set of addresses it reads and writes, and then launches it as one graph. A
/// method defines a frame's work by queue(). For sources that see CUDA, in gpu/flow alone.
class CudaEstimator : public Estimator {
 public:
  using Estimator::run;
  Status run(const Picture<Space::host>& previous, const Picture<Space::host>& next,
             const Mask<Space::host>& mask, const FieldView<Space::host>& out) final;
  Status run(const Picture<Space::device>& previous, const Picture<Space::device>& next,
             const Mask<Space::device>& mask, const FieldView<Space::device>& out) final;
  [[nodiscard]] const char* name() const noexcept final { return name_; }
  [[nodiscard]] Backend backend() const noexcept final { return Backend::cuda; }
  /// All that make() made, and the field and pictures for frames from the host.
  [[nodiscard]] std::size_t bytes() const noexcept final { return held_ + 2 * field_.bytes(); }

 protected:
  /// `where` is for errors. The context must outlive it.
  CudaEstimator(const Context& context, const char* where, const char* name, int width, int height);

  /// The addresses that a frame reads and writes, which are fixed in its graph.
  struct Frame {
    Picture<Space::device> previous, next;
    Mask<Space::device> mask;
    FieldView<Space::device> out;
    [[nodiscard]] bool masked() const noexcept { return mask.data != nullptr; }
  };
  /// Puts a frame's work on the stream, which is being recorded: launches only. Fails: device.
  virtual Status queue(StreamRef stream, const Frame& frame) = 0;

  /// The memory for frames from the host. Before the first run(). Fails: device.
  Status make_room();
  /// Zero at first: with a mask, what is not needed is read, though not used. Fails: device.
  template <typename T>
  Status make(DeviceBuffer<T>& buffer, std::size_t count) {
    Result<DeviceBuffer<T>> made = DeviceBuffer<T>::create(context_, count);
    if (!made) return made.error();
    buffer = std::move(*made);
    held_ += count * sizeof(T);
    return runtime::fill(context_.stream().get(), buffer.device_data(), 0, count * sizeof(T));
  }

  [[nodiscard]] const Context& context() const noexcept { return context_; }
  [[nodiscard]] int width() const noexcept { return width_; }
  [[nodiscard]] int height() const noexcept { return height_; }

 private:
  static constexpr std::size_t kRoom = 40;  // more than any camera has buffers
  struct Entry {
    Frame frame;
    Graph graph;
  };

  static bool same(const Frame& a, const Frame& b) noexcept;
  Status upload_picture(int which, const Picture<Space::host>& from, Picture<Space::device>& to);

  const Context& context_;
  const char* where_;
  const char* name_;
  int width_, height_;
  std::size_t held_ = 0;
  DeviceBuffer<std::uint8_t> input_;  // both pictures and the mask, of a frame from the host
  FlowField field_;                   // ... and its result
  std::vector<Entry> graphs_;
};

}  // namespace kerb::flow
