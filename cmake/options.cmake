# How every file is compiled, and where the one dependency of the core is.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

add_library(ballpark_options INTERFACE)
target_compile_options(ballpark_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla -Wcast-qual
    $<$<BOOL:${BALLPARK_WERROR}>:-Werror>)

if(BALLPARK_SANITIZE)
    target_compile_options(ballpark_options INTERFACE -fsanitize=${BALLPARK_SANITIZE} -fno-sanitize-recover=all
                                                      -fno-omit-frame-pointer -g)
    add_link_options(-fsanitize=${BALLPARK_SANITIZE})
endif()
if(BALLPARK_FUZZ)
    target_compile_options(ballpark_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# An unresolved symbol of the shared library is an error; sanitizers leave theirs to the program.
if(NOT BALLPARK_SANITIZE)
    set(BALLPARK_SHARED_LINK -Wl,--no-undefined)
endif()

# xxHash is one header. A cross compiler does not search the host's directories, so it gets a copy of that one file.
find_path(BALLPARK_XXHASH_DIR xxhash.h REQUIRED NO_CMAKE_FIND_ROOT_PATH PATHS /usr/include)
mark_as_advanced(BALLPARK_XXHASH_DIR)
file(COPY "${BALLPARK_XXHASH_DIR}/xxhash.h" DESTINATION "${PROJECT_BINARY_DIR}/third_party")
set(BALLPARK_XXHASH "${PROJECT_BINARY_DIR}/third_party")
