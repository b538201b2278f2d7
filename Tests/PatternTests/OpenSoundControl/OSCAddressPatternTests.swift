// Address patterns.

import ProgramProtocols
import TestSupport
import Testing

@Suite struct OSCAddressPatternTests {
    @Test(arguments: [
        ("/a/b", ["/a/b"], ["/a/c", "/a/b/", "/a", "/A/b", ""]),
        ("/?/b", ["/a/b", "/x/b"], ["//b", "/aa/b"]),
        ("/a*", ["/a", "/abc"], ["/a/b", "/b"]),
        ("/*/c*d", ["/a/cd", "/ab/cxxd", "//cd"], ["/cd", "/a/b/cd", "/a/cdx"]),
        ("/[a-c]1", ["/a1", "/c1"], ["/d1", "/1", "/ab1"]),
        ("/[c-a]", ["/b"], ["/d"]),
        ("/[!a-c]1", ["/d1"], ["/a1", "//1"]),
        ("/[a-]", ["/a", "/-"], ["/b"]),
        ("/{foo,bar}/x", ["/foo/x", "/bar/x"], ["/fo/x", "/foobar/x"]),
        ("/{a,ab}c", ["/ac", "/abc"], ["/c"]),
        ("/x{,y}", ["/x", "/xy"], ["/xyy"]),
        ("/ä*", ["/äö"], ["/aö"]),
    ])
    func patternsMatchWhatTheyStandFor(pattern: String, matching: [String], other: [String]) throws
    {
        let pattern = try #require(OSCAddressPattern(pattern))
        for address in matching { #expect(pattern.matches(address), "\(address)") }
        for address in other { #expect(!pattern.matches(address), "\(address)") }
    }

    @Test(arguments: ["", "a", "/[a", "/{a", "/a]", "/a}", "/{a/b}", "/[/]"])
    func whatIsNoPatternIsRefused(text: String) {
        #expect(OSCAddressPattern(text) == nil)
    }

    @Test func aPatternMadeToBeSlowIsNot() throws {
        try expectLittleProcessorTime {
            let stars = try #require(
                OSCAddressPattern("/" + String(repeating: "*a{a,aa,aaa}", count: 80)))
            let address = "/" + String(repeating: "a", count: 1000) + "b"
            // The match takes milliseconds, whereas a backtracking search would practically never
            // end.
            #expect(!stars.matches(address))
            #expect(OSCAddressPattern("/" + String(repeating: "a", count: 1024)) == nil)
            #expect(!stars.matches("/" + String(repeating: "a", count: 1024)))
        }
    }
}
