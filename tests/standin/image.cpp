#include "image.hpp"

#include <cstring>
#include <sstream>

#include <nlohmann/json.hpp>

namespace warpwright::standin {

namespace {

constexpr const char* first_line = "standin";

// VALUE of KEY=VALUE: JSON, or a word.
nlohmann::json value_of(const std::string& text) {
    nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
    return value.is_discarded() ? nlohmann::json(text) : value;
}

nlohmann::json pairs_of(std::istringstream& words) {
    nlohmann::json pairs = nlohmann::json::object();
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos) {
            throw ImageError("text image: `" + word + "` is not KEY=VALUE");
        }
        pairs[word.substr(0, equals)] = value_of(word.substr(equals + 1));
    }
    return pairs;
}

ImageKernel kernel_of(const nlohmann::json& pairs, const std::string& name) {
    ImageKernel kernel;
    kernel.behaviour = read_behaviour(pairs, "text image, kernel " + name);
    kernel.shared_bytes = kernel.behaviour->shared_bytes;
    kernel.registers = kernel.behaviour->registers == 0 ? 32 : kernel.behaviour->registers;
    kernel.max_threads = kernel.behaviour->max_threads == 0 ? 1024 : kernel.behaviour->max_threads;
    return kernel;
}

// Lines `kernel NAME KEY=VALUE ...` and `variable NAME bytes=N`, up to the line `end`.
ModuleImage read_text(const char* image) {
    ModuleImage result;
    const char* const end = std::strstr(image, "\nend\n");
    if (end == nullptr) {
        throw ImageError("text image without the line `end`");
    }
    std::istringstream lines(std::string(image, static_cast<std::size_t>(end - image) + 1));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string what;
        std::string name;
        words >> what >> name;
        const nlohmann::json pairs = pairs_of(words);
        if (what == "kernel") {
            result.kernels[name] = kernel_of(pairs, name);
        } else if (what == "variable") {
            result.variables[name].resize(pairs.value("bytes", std::size_t{4}));
        } else if (!what.empty()) {
            throw ImageError("text image: a line begins with `" + what + "`, not with kernel or variable");
        }
    }
    return result;
}

}  // namespace

ModuleImage read_image(const void* image) {
    const auto* bytes = static_cast<const unsigned char*>(image);
    if (std::memcmp(bytes,
                    "\x7f"
                    "ELF",
                    4) == 0) {
        return read_cubin(bytes);
    }
    if (std::memcmp(bytes, first_line, std::strlen(first_line)) == 0) {
        return read_text(static_cast<const char*>(image));
    }
    throw ImageError("neither a cubin nor a text image");
}

}  // namespace warpwright::standin
