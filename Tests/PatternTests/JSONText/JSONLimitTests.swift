// Tests of the JSON reader's limits for nesting and for the number of containers.

import JSONText
import Testing

struct JSONLimitTests {
    @Test(arguments: ["[", "{\"a\":", "[[],[{\"b\":"])
    func nestingOf100000LevelsIsRefusedWithoutHarm(_ opening: String) {
        let deep = bytes(String(repeating: opening, count: 100_000))
        for mode in [JSONReader.Mode.strict, .lenient] {
            let error = #expect(throws: JSONError.self) {
                _ = try JSONReader.read(deep, mode: mode)
            }
            #expect(error?.message == "nested deeper than 512 levels")
        }
    }

    @Test func moreContainersThanAreReadAreRefusedAtTheFirstOfThem() throws {
        var report = JSONReport(isStrict: false)
        let three = bytes("[[],\n {}]")
        _ = try JSONReader.read(three, report: &report, mostContainers: 3)
        let error = #expect(throws: JSONError.self) {
            _ = try JSONReader.read(three, report: &report, mostContainers: 2)
        }
        #expect(error?.location == JSONText.SourceLocation(line: 2, column: 2))
        #expect(error?.message == "too many arrays and objects")
    }

    @Test func theDeepestNestingThatIsReadIs512() throws {
        func nested(_ depth: Int) -> [UInt8] {
            bytes(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        }
        _ = try JSONReader.read(nested(512), mode: .strict)
        let error = #expect(throws: JSONError.self) { _ = try JSONReader.read(nested(513)) }
        #expect(error?.location == JSONText.SourceLocation(line: 1, column: 513))
    }
}
