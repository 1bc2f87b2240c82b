"""Coverage points of the prose about command-buffers (section 5.17), in general and of revision 3.1."""
