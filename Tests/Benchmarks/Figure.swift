// The common format of all printed figures.

import Foundation

/// Prints `figure NAME VALUE UNIT` on stdout.
func printFigure(_ name: String, _ value: Double, _ unit: String, decimals: Int = 3) {
    printFigure(name, String(format: "%.\(decimals)f", value), unit)
}

/// Prints a count.
func printFigure(_ name: String, _ value: Int, _ unit: String) {
    printFigure(name, "\(value)", unit)
}

/// Prints a line immediately, so that the line is not lost if the program is killed.
private func printFigure(_ name: String, _ value: String, _ unit: String) {
    print("figure \(name) \(value) \(unit)")
    fflush(nil)
}

/// Prints the name of the current measurement to stderr, so that stdout contains only figures.
func note(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
}
