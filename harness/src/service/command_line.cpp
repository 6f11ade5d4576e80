#include "service/command_line.hpp"

#include "driver/library.hpp"

namespace warpwright {

const char* const usage =
    "warpwright-harness serve               requests on stdin, replies on stdout, until end of input\n"
    "warpwright-harness run-once JOB        the requests recorded in the file JOB, then exit\n"
    "warpwright-harness properties          every GPU as one JSON document\n"
    "warpwright-harness --version\n"
    "   --driver PATH                       driver library to load instead of the system's\n"
    "   --exchange DIR                      large attachments of `serve` lie in files there (Linux)\n";

namespace {

constexpr const char* allowed = "allowed: serve, run-once JOB, properties, --version, --help";

Command parse_command(const std::string& word) {
    if (word == "serve") {
        return Command::serve;
    }
    if (word == "run-once") {
        return Command::run_once;
    }
    if (word == "properties") {
        return Command::properties;
    }
    throw UsageError("unknown command " + word + "; " + allowed);
}

// The word after an option.
const std::string& value_of(const std::vector<std::string>& words, std::size_t option) {
    if (option + 1 >= words.size()) {
        throw UsageError(words[option] + " needs a path behind it");
    }
    return words[option + 1];
}

}  // namespace

CommandLine parse_command_line(const std::vector<std::string>& words) {
    CommandLine line;
    line.driver = driver::Library::default_path();
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--driver") {
            line.driver = value_of(words, i++);
        } else if (words[i] == "--exchange") {
            line.exchange = value_of(words, i++);
        } else if (words[i] == "--version" || words[i] == "--help") {
            line.command = words[i] == "--help" ? Command::help : Command::version;
            return line;
        } else if (words[i].rfind("--", 0) == 0) {
            throw UsageError("unknown option " + words[i] +
                             "; allowed: --driver PATH, --exchange DIR, --version, --help");
        } else {
            rest.push_back(words[i]);
        }
    }
    if (rest.empty()) {
        throw UsageError(std::string("no command; ") + allowed);
    }
    line.command = parse_command(rest[0]);
    const std::size_t wanted = line.command == Command::run_once ? 2 : 1;
    if (rest.size() != wanted) {
        throw UsageError(rest.size() < wanted ? "run-once needs the path of a recorded job"
                                              : "unexpected word " + rest[wanted] + " after " + rest[0]);
    }
    line.job = wanted == 2 ? rest[1] : "";
    return line;
}

}  // namespace warpwright
