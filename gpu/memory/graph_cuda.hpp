// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "gpu/memory/cuda_status.hpp"
#include "gpu/memory/stream.hpp"

/// For sources that see CUDA; public headers do not include this.
namespace kerb {

/// Work that is recorded from a stream once and then launched as a whole. Move-only.
class Graph {
 public:
  /// Of what `queue(stream)` puts on the stream. Fails: device, and as `queue`.
  template <typename Queue>
  static Result<Graph> record(StreamRef stream, const Queue& queue) {
    cudaError_t error = cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal);
    if (error != cudaSuccess) return cuda_error(error, "begin capture");
    const Status queued = queue(stream);
    cudaGraph_t graph = nullptr;
    error = cudaStreamEndCapture(stream.get(), &graph);
    if (!queued) {
      if (graph != nullptr) cudaGraphDestroy(graph);
      (void)cudaGetLastError();  // the capture's failure follows from this one
      return queued.error();
    }
    if (error != cudaSuccess) return cuda_error(error, "end capture");
    cudaGraphExec_t exec = nullptr;
    error = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    if (error != cudaSuccess) return cuda_error(error, "instantiate graph");
    return Graph{exec};
  }

  Graph() = default;  ///< nothing, not to be launched
  Graph(Graph&& other) noexcept : exec_{std::exchange(other.exec_, nullptr)} {}
  Graph& operator=(Graph&& other) noexcept {
    std::swap(exec_, other.exec_);
    return *this;
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (exec_ != nullptr) (void)cudaGraphExecDestroy(exec_);
  }

  Status launch(StreamRef stream) const {
    return cuda_status(cudaGraphLaunch(exec_, stream.get()), "launch graph");
  }

 private:
  explicit Graph(cudaGraphExec_t exec) : exec_{exec} {}
  cudaGraphExec_t exec_ = nullptr;
};

/// The addresses of a frame's input, which are fixed in a recorded graph.
struct GraphInput {
  const void* data;
  std::ptrdiff_t row_stride, plane_stride;
};

/// Work that is the same every frame, recorded once for each address of its input (a camera has a
/// handful of buffers) and then launched as one graph.
class GraphCache {
 public:
  GraphCache() { graphs_.reserve(kRoom); }

  /// Launches the graph recorded for this input; records it from `queue(stream)` first, when there
  /// is none yet. Fails: device, and as `queue`.
  template <typename Queue>
  Status launch(StreamRef stream, const GraphInput& input, const Queue& queue) {
    for (const Entry& entry : graphs_)
      if (entry.input.data == input.data && entry.input.row_stride == input.row_stride &&
          entry.input.plane_stride == input.plane_stride)
        return entry.graph.launch(stream);
    Result<Graph> graph = Graph::record(stream, queue);
    if (!graph) return graph.error();
    if (graphs_.size() == kRoom) graphs_.erase(graphs_.begin());  // ever new places: the oldest
    graphs_.push_back({input, std::move(*graph)});
    return graphs_.back().graph.launch(stream);
  }

 private:
  static constexpr std::size_t kRoom = 40;  // more than any camera has buffers
  struct Entry {
    GraphInput input;
    Graph graph;
  };
  std::vector<Entry> graphs_;
};

}  // namespace kerb
