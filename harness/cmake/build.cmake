# Writes OUTPUT: the program's version, and SHA-256 over the names and hashes of the files that LIST lists.
file(READ ${LIST} sources)
list(SORT sources)
set(all "")
foreach(source IN LISTS sources)
    file(SHA256 ${source} hash)
    file(RELATIVE_PATH name ${ROOT} ${source})
    string(APPEND all "${name} ${hash}\n")
endforeach()
string(SHA256 build "${all}")
file(
    WRITE ${OUTPUT}
    "#include \"service/build.hpp\"\n\nnamespace warpwright {\n\nconst char* const harness_version = \"${VERSION}\";\n"
    "const char* const build_hash = \"${build}\";\n\n}  // namespace warpwright\n"
)
