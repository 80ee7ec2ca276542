// SPDX-License-Identifier: Apache-2.0
// kerblab model: what is in a model's file, and other programs' models as ours.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "gpu/hog/model_file.hpp"
#include "tools/import/network_file.hpp"
#include "tools/import/opencv_models.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/model/models.hpp"
#include "tools/kerblab/model/search_options.hpp"
#include "tools/train/join.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(hog::DenseKind kind) {
  switch (kind) {
    case hog::DenseKind::cells:
      return "cells";
    case hog::DenseKind::integral:
      return "integral";
    default:
      return "rhog";
  }
}

/// In the fewest digits that give the float back: 0.2, not 0.20000000298.
double shortest(float value) { return std::stod(fmt::format("{}", value)); }

void describe_kind(const hog::DenseModel& model, Json& out) {
  out["kind"] = "dense";
  out["dense"] = name_of(model.kind);
  out["gamma"] = model.gamma;
  out["colour"] = model.colour;
  out["sigma"] = shortest(model.sigma);
  out["clip"] = shortest(model.clip);
  out["blocks"] = model.blocks_x() * model.blocks_y();
  out["weights"] = model.weights.size();
  out["bias"] = shortest(model.bias);
}

void describe_kind(const hog::CascadeModel& model, Json& out) {
  out["kind"] = "cascade";
  out["learners"] = model.linear.empty() ? "trees" : "blocks";
  out["learner_count"] = model.learner_count();
  out["stage_count"] = model.stages.size();
  Json sizes = Json::array();
  for (const hog::Stage& stage : model.stages) sizes.push_back(stage.count);
  out["stage_sizes"] = std::move(sizes);
  out["cumulative"] = model.cumulative;
  out["bins"] = model.channels.bins;
  out["half_shifted"] = model.channels.half_shifted;
  out["magnitude"] = model.channels.magnitude;
  out["colour"] = model.channels.colour;
  out["grid"] = hog::grid_of(model);
}

void describe_look(const hog::LookAgain& look, Json& out) {
  const net::CropShape& crop = look.network.crop;
  out["looks again"] = {{"threshold", shortest(look.threshold)},
                        {"overlap", shortest(look.overlap)},
                        {"most", look.most},
                        {"cascade-share", shortest(look.cascade_share)}};
  std::int64_t weights = 0;
  for (const net::Layer& layer : look.network.layers)
    weights += static_cast<std::int64_t>(layer.weights.size());
  out["network"] = {{"crop", fmt::format("{}x{}", crop.width, crop.height)},
                    {"planes", crop.planes},
                    {"person", crop.person_height},
                    {"layers", look.network.layers.size()},
                    {"weights", weights},
                    {"products", net::products_of(look.network)}};
}

Json describe_model(const hog::Model& model) {
  Json out;
  out["name"] = model.name;
  const hog::Geometry& g = model.geometry();
  out["window"] = {g.window_width, g.window_height};
  out["person"] = {shortest(g.person_x), shortest(g.person_y), shortest(g.person_width),
                   shortest(g.person_height)};
  out["scaling"] = g.scaling == Scaling::octaves ? "octaves" : "plain";
  std::visit([&](const auto& kind) { describe_kind(kind, out); }, model.kind);
  const hog::Advice& advice = model.advice;
  out["advice"] = {{"threshold", shortest(advice.threshold)},
                   {"scale", shortest(advice.scale_step)},
                   {"stride", advice.stride},
                   {"padding", advice.padding},
                   {"fusion", lab::name_of(advice.fusion)},
                   {"overlap", shortest(advice.overlap)},
                   {"overlap-of", advice.of_smaller ? "smaller" : "union"}};
  out["tracking"] = {{"margin", shortest(advice.tracking_margin)},
                     {"even", advice.tracking.even},
                     {"sure", advice.tracking.sure}};
  if (model.look_again) describe_look(*model.look_again, out);
  return out;
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A line for each fact: "window: 64 x 128".
std::string as_text(const Json& facts) {
  std::string out;
  for (const auto& [key, value] : facts.items()) {
    std::string text;
    if (value.is_object()) {
      for (const auto& [name, part] : value.items())
        text += (text.empty() ? "" : ", ") + name + " " +
                (part.is_string() ? part.get<std::string>() : dump(part));
    } else if (value.is_array()) {
      for (const Json& part : value) text += (text.empty() ? "" : " ") + dump(part);
    } else {
      text = value.is_string() ? value.get<std::string>() : dump(value);
    }
    out += fmt::format("{:<14}{}\n", key + ":", text);
  }
  return out;
}

struct ModelOptions {
  std::string file, second, json, out, name;
  bool opencv_people = false;
  std::optional<float> threshold, scale;  // advised
  std::optional<int> stride, padding;
  std::optional<float> margin;  // for tracking
  std::optional<double> even, sure;
  hog::LookAgain look;  // without its network, which is in `second`
};

/// That a model can be written to --out, which is not the file it comes from.
Status check_model_output(const ModelOptions& o) {
  std::error_code ignored;
  if (o.out == "-" || (std::filesystem::exists(o.out, ignored) &&
                       !std::filesystem::is_regular_file(o.out, ignored)))
    return Error{Errc::invalid_argument, 0, "--out", "must be a regular file"};
  if (Status ok = check_output(o.out); !ok) return ok;
  return check_apart({o.out}, {o.file});
}

Status show_info(const ModelOptions& o) {
  if (!o.json.empty())
    if (Status ok = check_output(o.json); !ok) return ok;
  if (Status ok = check_apart({o.json}, {o.file}); !ok) return ok;
  Result<hog::Model> model = load_model(o.file);
  if (!model) return model.error();
  const Json facts = describe_model(*model);
  if (!o.json.empty()) return write_output(o.json, dump(facts) + "\n");
  return write_output("-", as_text(facts));
}

Status import_model(const ModelOptions& o) {
  if (o.opencv_people == !o.file.empty())
    return Error{Errc::invalid_argument, 0, "model import", "expected a FILE or --opencv-people"};
  if (Status ok = check_model_output(o); !ok) return ok;
  Result<hog::Model> model = o.opencv_people ? default_people_detector() : load_model(o.file);
  if (!model) return model.error();
  if (!o.name.empty()) {
    model->name = o.name;
  } else if (!o.opencv_people && !is_our_model(o.file)) {
    model->name = std::filesystem::path{o.file}.stem().string();
  }
  if (Status saved = hog::save(*model, o.out); !saved) return saved;
  std::printf("%s: %s\n", o.out.c_str(), model->name.c_str());
  return Done{};
}

Status advise_model(const ModelOptions& o) {
  if (Status ok = check_model_output(o); !ok) return ok;
  Result<hog::Model> model = load_model(o.file);
  if (!model) return model.error();
  hog::Advice& advice = model->advice;
  advice.threshold = o.threshold.value_or(advice.threshold);
  advice.scale_step = o.scale.value_or(advice.scale_step);
  advice.stride = o.stride.value_or(advice.stride);
  advice.padding = o.padding.value_or(advice.padding);
  advice.tracking_margin = o.margin.value_or(advice.tracking_margin);
  advice.tracking.even = o.even.value_or(advice.tracking.even);
  advice.tracking.sure = o.sure.value_or(advice.tracking.sure);
  if (!o.name.empty()) model->name = o.name;
  if (Status saved = hog::save(*model, o.out); !saved) return saved;
  std::printf("%s: %s\n", o.out.c_str(), model->name.c_str());
  return Done{};
}

Status let_look_again(const ModelOptions& o) {
  if (Status ok = check_model_output(o); !ok) return ok;
  if (Status ok = check_apart({o.out}, {o.second}); !ok) return ok;
  Result<hog::Model> model = load_model(o.file);
  if (!model) return model.error();
  Result<net::Network> network = read_network(o.second);
  if (!network) return network.error();
  model->look_again = o.look;
  model->look_again->network = std::move(*network);
  model->advice.threshold = o.threshold.value_or(0.0F);
  if (!o.name.empty()) model->name = o.name;
  if (Status saved = hog::save(*model, o.out); !saved) return saved;
  std::printf("%s: %s\n", o.out.c_str(), model->name.c_str());
  return Done{};
}

Status join_models(const ModelOptions& o) {
  if (Status ok = check_model_output(o); !ok) return ok;
  if (Status ok = check_apart({o.out}, {o.second}); !ok) return ok;
  const Result<hog::Model> first = load_model(o.file);
  if (!first) return first.error();
  const Result<hog::Model> second = load_model(o.second);
  if (!second) return second.error();
  Result<hog::Model> model = train::join(*first, *second);
  if (!model) return model.error();
  if (!o.name.empty()) model->name = o.name;
  if (Status saved = hog::save(*model, o.out); !saved) return saved;
  std::printf("%s: %s\n", o.out.c_str(), model->name.c_str());
  return Done{};
}

}  // namespace

void add_model(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("model", "Show, convert and combine models");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n  kerblab model info people.kwm\n"
      "  kerblab model import hogcascade_pedestrians.xml --out pedestrians.kwm");
  const auto o = std::make_shared<ModelOptions>();
  const auto run = [o, &action](CLI::App* chosen, Status (*work)(const ModelOptions&)) {
    run_when_chosen(*chosen, action, [o, work] { return work(*o); });
  };

  CLI::App* info = command->add_subcommand("info", "Show what a model file contains");
  info->footer("Example: kerblab model info --json - people.kwm");
  info->add_option("file", o->file, "Model: Kerbwatch's or OpenCV's")
      ->required()
      ->option_text("FILE");
  add_name_option(*info, "--json", o->json,
                  "Write it as one JSON object to this file; - is stdout");
  run(info, show_info);

  CLI::App* import = command->add_subcommand(
      "import", "Convert OpenCV's HOG coefficients or HOG cascade to a model of Kerbwatch");
  import->footer("Example: kerblab model import hogcascade_pedestrians.xml --out pedestrians.kwm");
  import->add_option("file", o->file, "Input file: XML, YAML, or a list of numbers")
      ->option_text("FILE");
  import->add_option("--out", o->out, "Output file, such as M.kwm; not -")
      ->required()
      ->check(not_empty);
  add_name_option(
      *import, "--name", o->name,
      "Name of the model; default: the file name without extension; a .kwm file keeps its own");
  import->add_flag("--opencv-people", o->opencv_people,
                   "Instead of FILE: the people detector built into OpenCV");
  run(import, import_model);

  CLI::App* advise =
      command->add_subcommand("advise", "Copy a model with other recommended search settings");
  advise->footer("Example: kerblab model advise mine.kwm --threshold 5.5 --out models/mine.kwm");
  advise->add_option("file", o->file, "Model")->required()->option_text("FILE");
  advise->add_option("--out", o->out, "Output file; not FILE, not -")->required()->check(not_empty);
  add_name_option(*advise, "--name", o->name, "Name of the model; default: unchanged");
  advise->add_option("--threshold", o->threshold, "Lowest score of a detection");
  advise->add_option("--scale", o->scale, "Scale ratio between levels, 1.001..16");
  advise->add_option("--stride", o->stride, "Step between windows, pixels of the level, 1..256");
  advise->add_option("--padding", o->padding,
                     "How far windows may extend beyond the picture, pixels, 0..1024");
  advise->add_option(
      "--tracking-margin", o->margin,
      "Tracking margin: the tracker also gets detections down to the threshold minus this");
  advise->add_option(
      "--tracking-even", o->even,
      "Score relative to the threshold at which a person and an error are equally likely");
  advise->add_option("--tracking-sure", o->sure,
                     "Score relative to the threshold of which two detections confirm a person");
  run(advise, advise_model);

  CLI::App* join = command->add_subcommand(
      "join", "Combine two cascades into one whose score is the mean of both");
  join->footer(
      "Both must come from kerblab train channels and have the same window and channels. The "
      "second\n"
      "evaluates only windows that the first does not reject. Name and advice are those of the "
      "first.\n"
      "Example: kerblab model join photographs.kwm streets.kwm --name both --out both.kwm");
  join->add_option("first", o->file, "Model")->required()->option_text("FIRST");
  join->add_option("second", o->second, "Model")->required()->option_text("SECOND");
  join->add_option("--out", o->out, "Output file; not one of the inputs, not -")
      ->required()
      ->check(not_empty);
  add_name_option(*join, "--name", o->name, "Name of the model; default: that of the first");
  run(join, join_models);

  CLI::App* look = command->add_subcommand(
      "look-again", "Add a network that looks at a model's candidates again");
  look->footer(
      "The network is one that tools/net/train.py exported. The model's scores are the network's "
      "then,\n"
      "so its recommended threshold and its advice for tracking must be set anew (kerblab model "
      "advise).\n"
      "Example: kerblab model look-again cascade.kwm people.json --most 30 --out people.kwm");
  look->add_option("file", o->file, "Model")->required()->option_text("FILE");
  look->add_option("network", o->second, "Network: JSON")->required()->option_text("NETWORK");
  look->add_option("--out", o->out, "Output file; not one of the inputs, not -")
      ->required()
      ->check(not_empty);
  add_name_option(*look, "--name", o->name, "Name of the model; default: unchanged");
  look->add_option("--candidates-from", o->look.threshold,
                   "Lowest score of a window that becomes a candidate")
      ->capture_default_str();
  look->add_option("--candidates-overlap", o->look.overlap,
                   "Of two candidates that overlap by more than this the worse is left out, 0..1")
      ->capture_default_str();
  look->add_option("--most", o->look.most, "Most candidates of a picture, 1..128")
      ->capture_default_str();
  look->add_option("--cascade-share", o->look.cascade_share,
                   "Score = the network's + this * the window's")
      ->capture_default_str();
  look->add_option("--threshold", o->threshold, "Recommended lowest score of a detection; 0");
  run(look, let_look_again);
}

}  // namespace kerb::lab
