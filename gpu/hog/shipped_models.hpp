// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

/// The location of the models that come with the product, for programs without a model argument.
namespace kerb::hog {

/// The default model; grey cameras use its grey variant.
inline constexpr const char* kDefaultModel = "default.kwm";
/// An environment variable: a folder that replaces the installed one.
inline constexpr const char* kModelsVariable = "KERBWATCH_MODELS";

/// The folder of the models: the variable's, where it is set (and not empty), whether there is such
/// a folder or not. Else, of these, the first that is there:
///   ../share/kerbwatch/models, seen from the folder of the running program: an installation,
///     wherever it was moved to, or a build folder, which has a link to the sources' models/
///   share/kerbwatch/models under the prefix this was built to be installed under
/// Or the latter, when none is.
[[nodiscard]] std::string shipped_models();

/// The path of a model in that folder, such as "default.kwm"; empty when there is no such file.
[[nodiscard]] std::string shipped_model(std::string_view name);

/// The path of a model's variant for cameras without colour, which stands beside it with "-grey"
/// before its ending: people.kwm has people-grey.kwm. Empty when there is no such file.
[[nodiscard]] std::string grey_variant(const std::string& model);

/// The same for thermal cameras: people.kwm has people-thermal.kwm.
[[nodiscard]] std::string thermal_variant(const std::string& model);

}  // namespace kerb::hog
