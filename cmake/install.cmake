# What `make install` copies: the program, the library with its headers and CMake package, the
# modules, and the third-party libraries that came out of the wheels. Those are copied because they
# lie in a cache that its owner may empty and others may not read; libraries from elsewhere on the
# system are left where they are. Component `berth` is all but the 600 MB of OpenVINO and LibTorch.

include(CMakePackageConfigHelpers)

set(library_dir ${CMAKE_INSTALL_LIBDIR})
set(package_dir ${library_dir}/cmake/berth)

install(TARGETS berth EXPORT berthTargets COMPONENT berth)
install(TARGETS berth_cli COMPONENT berth)
install(DIRECTORY berth DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT berth
        FILES_MATCHING PATTERN "*.h")
install(EXPORT berthTargets NAMESPACE berth:: DESTINATION ${package_dir} COMPONENT berth)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/berthConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES cmake/berthConfig.cmake ${PROJECT_BINARY_DIR}/berthConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT berth)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT berth)

set(modules openvino torch mpi highs metis scotch)
foreach(module IN LISTS modules)
  if(TARGET berth_${module})
    install(TARGETS berth_${module} DESTINATION ${library_dir}/berth COMPONENT berth)
  endif()
endforeach()

# Lets the installed `target` find the library `file` of a third party: copies `file` and the ones
# after it to lib/berth/`where` when they come out of the wheels, and else points to where they are.
function(berth_install_third_party target origin component where file)
  cmake_path(IS_PREFIX BERTH_PACKAGES_DIR ${file} from_wheel)
  if(from_wheel)
    install(FILES ${file} ${ARGN} DESTINATION ${library_dir}/berth/${where} COMPONENT ${component})
    set(directory ${origin}/${where})
  else()
    cmake_path(GET file PARENT_PATH directory)
  endif()
  set_property(TARGET ${target} APPEND PROPERTY INSTALL_RPATH ${directory})
endfunction()

# From a module to libberth.so.
set_target_properties(berth PROPERTIES INSTALL_RPATH "")
foreach(module IN LISTS modules)
  if(TARGET berth_${module})
    set_target_properties(berth_${module} PROPERTIES INSTALL_RPATH "$ORIGIN/..")
  endif()
endforeach()

if(BERTH_HAS_HIGHS)
  berth_install_third_party(berth_highs "$ORIGIN" berth "highs" ${highs_library})
endif()
if(BERTH_HAS_OPENVINO)
  get_target_property(openvino_library openvino::runtime LOCATION)
  cmake_path(GET openvino_library PARENT_PATH openvino_dir)
  # Its plugins and front ends are found beside it.
  file(GLOB openvino_files ${openvino_dir}/lib*.so* ${openvino_dir}/cache.json)
  berth_install_third_party(berth_openvino "$ORIGIN" third-party openvino
                            ${openvino_library} ${openvino_files})
endif()
if(BERTH_HAS_TORCH)
  # The library finds the others by these same relative paths.
  cmake_path(GET torch_library PARENT_PATH torch_library_dir)
  file(GLOB torch_files ${torch_library_dir}/libgomp*.so*)
  berth_install_third_party(berth_torch "$ORIGIN" third-party torch/lib
                            ${torch_library} ${c10_library} ${torch_files})
  set(cuda_dir nvidia/cu13/lib)
  file(GLOB cuda_files ${BERTH_PACKAGES_DIR}/${cuda_dir}/libcu*.so.*)
  install(FILES ${cuda_files} DESTINATION ${library_dir}/berth/${cuda_dir} COMPONENT third-party)
endif()
