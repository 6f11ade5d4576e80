#include "service/process.hpp"

#include <cstdlib>
#include <string>

#include "doctest/doctest.h"

using namespace warpwright;

namespace {

constexpr const char* loading = "CUDA_MODULE_LOADING";

// Empty: not set at all.
void set_loading(const std::string& value) {
#ifdef _WIN32
    static_cast<void>(_putenv_s(loading, value.c_str()));
#else
    static_cast<void>(value.empty() ? unsetenv(loading) : setenv(loading, value.c_str(), 1));
#endif
}

}  // namespace

TEST_CASE("modules are loaded at once unless somebody has said otherwise") {
    set_loading("LAZY");
    prepare_driver();
    CHECK(std::string(std::getenv(loading)) == "LAZY");
    set_loading("");
    prepare_driver();
    CHECK(std::string(std::getenv(loading)) == "EAGER");
}
