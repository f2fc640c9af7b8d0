# Where everything goes, and how others find it: find_package(ballpark) and pkg-config.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/ballpark")
# The prefix may be chosen when it is installed: the file finds it from where it stands.
file(RELATIVE_PATH ballpark_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/ballpark.pc.in ballpark.pc @ONLY)
configure_package_config_file(cmake/ballparkConfig.cmake.in ballparkConfig.cmake INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(ballparkConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS ballpark ballpark_static ballpark_shared EXPORT ballparkTargets)
install(EXPORT ballparkTargets NAMESPACE ballpark:: DESTINATION "${package_dir}")
install(DIRECTORY include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/ballparkConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/ballparkConfigVersion.cmake"
        DESTINATION "${package_dir}")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/ballpark.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
if(BALLPARK_CLI)
    install(TARGETS ballpark_cli)
endif()
if(BALLPARK_CLI AND NOT CMAKE_CROSSCOMPILING) # what doors/cli made of its table
    set(completions "${CMAKE_CURRENT_BINARY_DIR}/completions")
    install(DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
    install(FILES "${completions}/ballpark.bash" RENAME ballpark
            DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
    install(FILES "${completions}/_ballpark" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
    install(FILES "${completions}/ballpark.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
