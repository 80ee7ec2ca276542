// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/plot/plot.hpp"

#include <filesystem>

#include "drivers/replay/picture.hpp"
#include "tools/kerblab/app/output.hpp"
#if KERB_LAB_OPENCV
#include "tools/kerblab/plot/png.hpp"
#endif

namespace kerb::lab {

Status check_plot_name(const std::string& path) {
  const std::string extension = std::filesystem::path{path}.extension().string();
#if !KERB_LAB_OPENCV
  if (extension == ".png")
    return replay::failure(Errc::unsupported, "this build has no OpenCV: only .svg is possible",
                           path);
#endif
  if (extension == ".svg" || extension == ".png") return check_output(path);
  return replay::failure(Errc::invalid_argument, "a plot must end in .svg or .png", path);
}

Result<std::vector<std::string>> check_report(const std::vector<std::string>& plots,
                                              const std::vector<std::string>& files) {
  std::vector<std::string> outputs = plots;
  for (const std::string& path : plots)
    if (Status ok = check_plot_name(path); !ok) return ok.error();
  for (const std::string& path : files) {
    if (path.empty()) continue;
    if (Status ok = check_output(path); !ok) return ok.error();
    outputs.push_back(path);
  }
  if (Status ok = check_distinct(outputs); !ok) return ok.error();
  return outputs;
}

Status write_plot(const std::string& path, const eval::Plot& plot) {
  const eval::Drawing drawing = eval::lay_out(plot);
  if (std::filesystem::path{path}.extension() == ".svg")
    return write_output(path, eval::to_svg(drawing));
#if KERB_LAB_OPENCV
  const std::vector<unsigned char> png = to_png(drawing);
  if (!png.empty())
    return write_output(path, {reinterpret_cast<const char*>(png.data()), png.size()});
#endif
  return replay::failure(Errc::io, "make picture", path);
}

}  // namespace kerb::lab
