/* Serves a session on another machine: starts the driver's process there, and passes messages on.

   A frame has a head of 12 bytes (the size of its content, that size inverted, the checksum of the content, each with
   the lowest byte first) and a content in MessagePack: the array of a kind, a number, and values. The session numbers
   its frames from 1, and each gets one answer with its number. harness/remote/frames.py lists the kinds. */
#ifndef CLCONFORM_SERVER_H
#define CLCONFORM_SERVER_H

/* Serve the session at the other end of the stream until it closes the connection; return the exit code. */
int serve_session(const char *folder_root);

#endif
