# SPDX-License-Identifier: BSD-3-Clause
# The command `gamelan`, in the build as installed, and the job script it hands to Slurm.
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/gamelan-command ${CMAKE_BINARY_DIR}/bin/gamelan COPYONLY)
install(PROGRAMS gamelan-command DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME gamelan)
install(PROGRAMS ${CMAKE_SOURCE_DIR}/deploy/slurm/gamelan.sbatch DESTINATION share/gamelan/slurm)
