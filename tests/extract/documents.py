"""Small documents written for the tests of the extraction. No sentence is from a specification."""
# ruff: noqa: E501 (documents keep their long lines)

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LISTING = """
<div class="openblock"><div class="content">
<div class="paragraph"><p>To make a thing, call the function:</p></div>
<div id="{name}" class="listingblock"><div class="content"><pre class="rouge highlight"><code data-lang="opencl">{code}</code></pre></div></div>
{body}
</div></div>
"""

NOTE = """<div class="admonitionblock important"><table><tr><td class="icon"><i></i></td>
<td class="content">
{text}
</td></tr></table></div>"""

HEAD = """<html><head><title>A test</title></head><body>
<div id="header"><h1>The OpenCL Test Document</h1><div class="details">
<span id="revnumber">version V9.8.7,</span></div></div>
<div class="sect1"><h2 id="platform">4. The Platform</h2><div class="sect2"><h3 id="things">4.1. Things</h3>
"""
TAIL = "</div></div></body></html>"


def html_page(*parts: str) -> str:
    """Return a complete HTML document that contains these parts."""
    return HEAD + "".join(parts) + TAIL


def function_block(name: str, code: str, *body: str) -> str:
    """Return an open block with a prototype and the text below it."""
    return LISTING.format(name=name, code=code, body="".join(body))


def paragraph(text: str) -> str:
    """Return a paragraph."""
    return f'<div class="paragraph"><p>{text}</p></div>'


def bullets(*items: str) -> str:
    """Return a list. Bars in an item separate its paragraph from further HTML."""
    cells = []
    for item in items:
        text, _, more = item.partition("|")
        cells.append(f"<li><p>{text}</p>{more}</li>")
    return f'<div class="ulist"><ul>{"".join(cells)}</ul></div>'


def note(text: str) -> str:
    """Return an admonition."""
    return NOTE.format(text=text)


def html_table(caption: str, header: tuple[str, ...], *rows: tuple[str, ...]) -> str:
    """Return a table. Bars in a cell separate its paragraphs."""
    head = "".join(f"<th>{title}</th>" for title in header)
    body = "".join(
        "<tr>" + "".join("<td>" + "".join(f"<p>{p}</p>" for p in cell.split("|")) + "</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return (
        f'<table class="tableblock"><caption class="title">{caption}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


REGISTRY = """<?xml version="1.0"?>
<registry>
<types>
 <type category="basetype" name="uint32_t"/>
 <type category="define" requires="stdint">typedef <type>uint32_t</type> <name>cl_uint</name> __attribute__((aligned(4)));</type>
 <type category="define" requires="stdint">typedef <type>int32_t</type> <name>cl_int</name> __attribute__((aligned(4)));</type>
 <type category="define" requires="stdint">typedef <type>uint64_t</type> <name>cl_ulong</name> __attribute__((aligned(8)));</type>
 <type category="define">typedef <type>cl_ulong</type> <name>cl_bitfield</name>;</type>
 <type category="define">typedef <type>cl_bitfield</type> <name>cl_thing_flags</name>;</type>
 <type category="define">typedef <type>cl_uint</type> <name>cl_thing_info</name>;</type>
 <type category="define">typedef struct _cl_thing * <name>cl_thing</name>;</type>
 <type category="define">typedef struct _cl_context * <name>cl_context</name>;</type>
 <type category="struct" name="cl_thing_desc">
  <member><type>cl_uint</type> <name>kind</name></member>
  <member>union {
        cl_thing one;
        cl_thing other;
    }</member>
  <member><type>char</type> <name>label</name>[<enum>CL_LABEL_SIZE</enum>]</member>
 </type>
</types>
<enums name="ErrorCodes.0"><enum value="0" name="CL_SUCCESS"/><enum value="-30" name="CL_INVALID_VALUE"/>
<enum value="-34" name="CL_INVALID_CONTEXT"/><enum value="-6" name="CL_OUT_OF_HOST_MEMORY"/><enum value="-33" name="CL_INVALID_DEVICE"/>
<enum value="-64" name="CL_INVALID_PROPERTY"/></enums>
<enums name="Constants"><enum value="((cl_uint) 0 - 1)" name="CL_LAST"/><enum value="64" name="CL_LABEL_SIZE"/>
<enum value="1.5e3F" name="CL_A_FLOAT"/><enum value="what" name="CL_ODD"/></enums>
<enums name="cl_thing_flags" type="bitmask"><enum bitpos="3" name="CL_THING_RED"/></enums>
<enums name="enums.1000"><enum value="0x1000" name="CL_THING_SIZE"/><enum alias="CL_THING_SIZE" name="CL_THING_SIZE_KHR"/></enums>
<commands>
 <command><proto><type>cl_thing</type> <name>clCreateThing</name></proto>
  <param><type>cl_context</type> <name>context</name></param>
  <param>const <type>cl_uint</type>* <name>sizes</name></param>
  <param>void (CL_CALLBACK* <name>pfn_notify</name>)(<type>cl_thing</type> thing, <type>void</type>* user_data)</param>
  <param><type>cl_int</type>* <name>errcode_ret</name></param></command>
 <command><proto><type>cl_int</type> <name>clGetDeviceInfo</name></proto>
  <param><type>cl_device_id</type> <name>device</name></param></command>
</commands>
<feature api="opencl" name="CL_VERSION_1_0" number="1.0">
 <require comment="Error codes"><enum name="CL_SUCCESS"/><enum name="CL_INVALID_VALUE"/><enum name="CL_INVALID_CONTEXT"/>
 <enum name="CL_OUT_OF_HOST_MEMORY"/><enum name="CL_INVALID_DEVICE"/><enum name="CL_INVALID_PROPERTY"/></require>
 <require comment="cl_thing_info"><enum name="CL_THING_SIZE"/></require>
 <require><enum name="CL_LAST"/><enum name="CL_LABEL_SIZE"/><enum name="CL_A_FLOAT"/></require>
 <require><command name="clCreateThing"/><command name="clGetDeviceInfo"/></require>
</feature>
<feature api="opencl" name="CL_VERSION_1_2" number="1.2">
 <require comment="cl_thing_flags - bitfield"><enum name="CL_THING_RED"/></require>
</feature>
<extension name="cl_khr_things" supported="opencl"><require><enum name="CL_THING_SIZE_KHR"/></require></extension>
<extension name="cl_vendor_things" supported="opencl"><require><enum name="CL_ODD"/></require></extension>
</registry>
"""

EXTENSION = """Name Strings

    cl_ext_device_fission

Version

    Version 7, January 1, 2001

New Procedures and Functions
    cl_int clCutDeviceEXT(
        cl_device_id in_device,
        const cl_ulong * properties );

New Tokens

    What may be a property name in the list given to clCutDeviceEXT:

        CL_CUT_IN_HALF_EXT                 0x4050

    Accepted by clGetDeviceInfo:

        CL_DEVICE_CUTS_EXT                 0x4051
        CL_LAST_EXT                        -1

Additions to Section 4.2 (Querying Devices)

        cl_int clCutDeviceEXT(
            cl_device_id in_device,
            const cl_ulong * properties );

    clCutDeviceEXT cuts <in_device>.

    properties - A list of {property-value, cl_int[]} pairs.

        CL_CUT_IN_HALF_EXT - One half each, by a
            list that CL_CUTS_LIST_END_EXT ends.

            Halves are equal.

    The following values may be returned by clCutDeviceEXT:

    CL_SUCCESS - It worked.

    CL_INVALID_VALUE - The key is unknown. On an OpenCL 1.1
        implementation, these cases return CL_INVALID_PROPERTY instead.

    CL_INVALID_DEVICE - The in_device is not a valid device.

Changes to Section 4.3 (Contexts)

    clGetDeviceIDs - Only whole devices are returned.

        The following selectors are added for clGetDeviceInfo:

        CL_DEVICE_CUTS_EXT - a selector to get a list of cuts. The
            return type is an array of cl_ulong values.
"""


def write_folder(folder: Path, html: str, extension: str = EXTENSION) -> Path:
    """Write a folder of documents for ``extract``, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "OpenCL_API-9.8.7.html").write_text(html, encoding="utf-8")
    (folder / "cl-9.8.7.xml").write_text(REGISTRY, encoding="utf-8")
    (folder / "002_extension.txt").write_text(extension, encoding="utf-8")
    return folder
