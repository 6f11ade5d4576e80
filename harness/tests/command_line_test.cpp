#include "service/command_line.hpp"

#include "doctest/doctest.h"

using namespace warpwright;

TEST_CASE("commands and options, in any order") {
    const CommandLine serve = parse_command_line({"--driver", "/x/libcuda.so", "serve", "--exchange", "f"});
    CHECK(serve.command == Command::serve);
    CHECK(serve.driver == "/x/libcuda.so");
    CHECK(serve.exchange == "f");
    const CommandLine once = parse_command_line({"run-once", "job"});
    CHECK(once.command == Command::run_once);
    CHECK(once.job == "job");
    CHECK(once.exchange.empty());
    CHECK_FALSE(once.driver.empty());
    CHECK(parse_command_line({"properties"}).command == Command::properties);
    CHECK(parse_command_line({"--version"}).command == Command::version);
}

TEST_CASE("bad usage says what is allowed") {
    struct Row {
        std::vector<std::string> words;
        std::string message;
    };
    const std::vector<Row> rows{
        {{}, "no command; allowed: serve, run-once JOB, properties, --version, --help"},
        {{"sevre"}, "unknown command sevre; allowed: serve, run-once JOB, properties, --version, --help"},
        {{"run-once"}, "run-once needs the path of a recorded job"},
        {{"serve", "x"}, "unexpected word x after serve"},
        {{"serve", "--driver"}, "--driver needs a path behind it"},
        {{"serve", "--nvml", "x"}, "unknown option --nvml; allowed: --driver PATH, --exchange DIR, --version, --help"},
    };
    for (const Row& row : rows) {
        CHECK_THROWS_WITH_AS((void)parse_command_line(row.words), row.message.c_str(), UsageError);
    }
}
