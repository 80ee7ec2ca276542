// SPDX-License-Identifier: Apache-2.0
// kerblab spectral: signatures of a picture, a target in a box, and how far each pixel is from it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "drivers/replay/picture.hpp"
#include "hal/base/clock.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/numbers.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/pictures/draw.hpp"
#include "tools/kerblab/spectral/draw_distances.hpp"
#include "tools/kerblab/spectral/options.hpp"
#include "tools/kerblab/spectral/picture.hpp"
#include "tools/spectral/roc.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;

struct SpectralCommand {
  BandSource source;
  SignatureSettings signatures;
  std::string nanometres, box, draw, json, solver = "auto", backend = "auto";
  int threads = 0;
};

Result<emd::Box> parse_box(const std::string& text) {
  const Result<std::vector<double>> n = parse_numbers("--box", "X,Y,W,H in pixels", text, 4, 4);
  if (!n) return n.error();
  if (std::any_of(n->begin(), n->end(), [](double v) { return v != std::floor(v) || v < 0; }) ||
      (*n)[2] < 1 || (*n)[3] < 1 || *std::max_element(n->begin(), n->end()) > 65535)
    return Error{Errc::invalid_argument, 0, "--box", "must be whole pixels within the picture"};
  const auto at = [&](std::size_t i) { return static_cast<std::int32_t>((*n)[i]); };
  return emd::Box{at(0), at(1), at(2), at(3)};
}

class Spectral {
 public:
  explicit Spectral(SpectralCommand& options) : options_{options} {}

  Status run() {
    if (Status ok = check(); !ok) return ok;
    const Result<emd::Box> box = parse_box(options_.box);
    if (!box) return box.error();
    if (!options_.nanometres.empty()) {
      const Result<std::vector<double>> nm = parse_numbers(
          "--nm", "a list of wavelengths separated by commas", options_.nanometres, 1, 64);
      if (!nm) return nm.error();
      for (const double one : *nm)
        if (!(one > 0))
          return Error{Errc::invalid_argument, 0, "--nm",
                       Text<112>{fmt::format("{:g}: a wavelength must be above zero", one)}};
      options_.source.nanometres = *nm;
    }
    const Result<Bands> bands = load_bands(options_.source);
    if (!bands) return bands.error();
    if (box->x + box->width > bands->width || box->y + box->height > bands->height)
      return Error{
          Errc::invalid_argument, 0, "--box",
          Text<112>{fmt::format("outside the picture of {} x {}", bands->width, bands->height)}};
    return compute(*bands, *box);
  }

 private:
  [[nodiscard]] Status check() const {
    std::vector<std::string> outputs;
    for (const std::string* path : {&options_.draw, &options_.json})
      if (!path->empty()) {
        if (Status ok = check_output(*path); !ok) return ok;
        outputs.push_back(*path);
      }
    if (!options_.draw.empty() && std::filesystem::path{options_.draw}.extension() != ".png")
      return replay::failure(Errc::invalid_argument, "--draw: must end in .png", options_.draw);
    if (Status ok = check_distinct(outputs); !ok) return ok;
    return check_apart(outputs, {options_.source.picture, options_.source.thermal,
                                 options_.source.cube, options_.signatures.ground});
  }

  Status compute(const Bands& bands, const emd::Box& box) {
    BackendChoice choice = BackendChoice::automatic;
    parse(options_.backend, choice);
    const Result<Context> context = Context::create(choice);
    if (!context) return context.error();
    Workers workers{options_.threads};
    emd::Solver solver = emd::Solver::automatic;
    emd::parse(options_.solver, solver);
    const Result<SpectralPicture> picture =
        make_signatures(workers, bands, options_.signatures, false);
    if (!picture) return picture.error();
    const Result<emd::TargetModel> model =
        emd::TargetModel::learn(picture->view(), box, picture->bins, picture->mass);
    if (!model) return model.error();
    const emd::Signature target = model->signature();
    const SystemClock clock;
    const Nanos start = clock.now();
    const Result<DistanceImage> found = emd_image(*context, workers, *picture, target, solver);
    if (!found) return found.error();
    const double ms = std::chrono::duration<double, std::milli>(clock.now() - start).count();
    const DistanceImage colours =
        sample_image(bands.three.data(), 3, bands.width, bands.height, box);
    const Area by_emd = judge(*found, bands, box), by_colours = judge(colours, bands, box);
    fmt::print(stderr,
               "{} bins, ground {}, {} on {}: {:.1f} ms, {} solved, {} duplicates; box against the "
               "rest: area under the ROC {}, three colours with Euclidean distance {}\n",
               picture->bins, emd::name_of(picture->ground.kind()), found->solver, found->backend,
               ms, found->counts.solved, found->counts.duplicates, text_of(by_emd, "–"),
               text_of(by_colours, "–"));
    if (!options_.draw.empty())
      if (Status ok = write_png(
              options_.draw,
              draw_panels(
                  {{"three colours", bands.shown},
                   {fmt::format("Euclidean on three: AUC {}", text_of(by_colours, "-")),
                    draw_distances(colours.values, bands.width, bands.height)},
                   {fmt::format("EMD on {} bins: AUC {}", picture->bins, text_of(by_emd, "-")),
                    draw_distances(found->values, bands.width, bands.height)}},
                  box));
          !ok)
        return ok;
    if (options_.json.empty()) return Done{};
    return write_output(options_.json,
                        report(*picture, target, *found, ms, by_emd, by_colours).dump(1) + "\n");
  }

  /// Under the ROC; none where nothing is outside of the box.
  using Area = std::optional<double>;
  static std::string text_of(const Area& area, const char* none) {
    return area ? fmt::format("{:.3f}", *area) : none;
  }
  static Json json_of(const Area& area) { return area ? Json(*area) : Json(); }

  /// The box's pixels, less its corners, against all that are not in it.
  static Area judge(const DistanceImage& image, const Bands& bands, const emd::Box& box) {
    std::vector<float> in, out;
    for (int y = 0; y < bands.height; ++y)
      for (int x = 0; x < bands.width; ++x) {
        const float d =
            image.values[static_cast<std::size_t>(y) * static_cast<std::size_t>(bands.width) +
                         static_cast<std::size_t>(x)];
        if (in_ellipse(box, x, y)) in.push_back(d);
        if (!within(box, x, y)) out.push_back(d);
      }
    if (in.empty() || out.empty()) return std::nullopt;
    return spectral::roc_of(std::move(in), std::move(out)).area;
  }

  [[nodiscard]] Json report(const SpectralPicture& picture, const emd::Signature& target,
                            const DistanceImage& found, double ms, const Area& area,
                            const Area& colours_area) const {
    Json bins = Json::array();
    for (std::size_t k = 0; k < static_cast<std::size_t>(picture.bins); ++k)
      bins.push_back({{"name", picture.names[k]}, {"target", target.bins[k]}});
    return {{"width", picture.width},
            {"height", picture.height},
            {"mass", picture.mass},
            {"bins", bins},
            {"ground", emd::name_of(picture.ground.kind())},
            {"solver", found.solver},
            {"backend", found.backend},
            {"ms", ms},
            {"solved", found.counts.solved},
            {"duplicates", found.counts.duplicates},
            {"refused", found.counts.refused},
            {"area_under_roc",
             {{"emd", json_of(area)}, {"three_colours_euclidean", json_of(colours_area)}}}};
  }

  SpectralCommand& options_;
};

}  // namespace

void add_spectral(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("spectral", "Distance of each pixel's bands to a target in a box");
  command->footer(
      "Bands come from a colour picture; with --thermal also from a thermal picture aligned with "
      "it;\n"
      "from a snapshot camera (--mosaic); from bands side by side (--beside), as kerblab sim "
      "render\n"
      "writes them; or from an ENVI datacube (--cube). A pixel's signature is the share of each "
      "band\n"
      "and of darkness or, with --window, the histogram of its neighbourhood. The target is "
      "learned\n"
      "from --box. --draw shows the picture, the Euclidean distance of three colours, and EMD "
      "(bright:\n"
      "small distance).\n"
      "Examples:\n"
      "  kerblab spectral street.jpg --thermal heat.jpg --box 310,90,60,150 --draw d.png\n"
      "  kerblab spectral --cube field.hdr --bands 11 --box 20,30,8,8 --draw d.png --json -\n"
      "  kerblab spectral --window 11 orthophoto.png --box 100,100,40,40 --draw d.png");
  const auto o = std::make_shared<SpectralCommand>();
  command->add_option("picture", o->source.picture, "Picture; not with --cube")
      ->check(not_empty)
      ->option_text("PICTURE");
  add_name_option(*command, "--thermal", o->source.thermal, "Thermal picture of the same size");
  add_name_option(*command, "--cube", o->source.cube, "Header of an ENVI datacube");
  command
      ->add_option("--mosaic", o->source.mosaic,
                   "N of an N x N filter pattern of the picture, 2..4")
      ->check(CLI::Range(2, 4));
  command->add_option("--beside", o->source.beside, "Number of bands side by side in the picture")
      ->check(CLI::Range(2, emd::kMaxBins));
  add_name_option(*command, "--nm", o->nanometres,
                  "Wavelengths of the bands of --mosaic or --beside, nm: N,N,...");
  command
      ->add_option("--box", o->box,
                   "Box of the target: X,Y,W,H in pixels; with --mosaic N in samples of a band "
                   "(1/N of the picture's width and height); with --beside in pixels of one band")
      ->required()
      ->check(not_empty);
  add_name_option(*command, "--draw", o->draw, "PNG file: picture and distances side by side");
  add_name_option(*command, "--json", o->json, "Write a report as JSON to this file; - is stdout");
  add_signature_options(*command, o->source, o->signatures);
  CLI::Option* window = command->get_option("--window");
  command->get_option("--bins")->needs(window);
  for (const char* of_bands : {"--bands", "--smooth", "--dark", "--dark-cost", "--no-balance"})
    command->get_option(of_bands)->excludes(window);
  command->get_option("--dark-cost")->excludes(command->get_option("--ground"));
  command->add_option("--solver", o->solver, "Solver: auto, closed, atlas, packed or network")
      ->check(CLI::IsMember({"auto", "closed", "atlas", "packed", "network"}))
      ->capture_default_str();
  add_backend_option(*command, o->backend);
  add_threads_option(*command, o->threads);
  run_when_chosen(*command, action, [o] { return Spectral{*o}.run(); });
}

}  // namespace kerb::lab
