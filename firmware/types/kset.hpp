// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
/// TEMPORARY: experiments.
inline double kset(const char* name, double usual) {
  static const std::map<std::string, double> all = [] {
    std::map<std::string, double> m;
    if (const char* e = std::getenv("KSET")) {
      std::string s{e};
      std::size_t at = 0;
      while (at < s.size()) {
        const std::size_t end = std::min(s.find(',', at), s.size());
        const std::string one = s.substr(at, end - at);
        if (const std::size_t eq = one.find('='); eq != std::string::npos)
          m[one.substr(0, eq)] = std::atof(one.c_str() + eq + 1);
        at = end + 1;
      }
    }
    return m;
  }();
  const auto it = all.find(name);
  return it == all.end() ? usual : it->second;
}
#define KSET(name, usual) ([]{ static const double v = kset(name, usual); return v; }())
