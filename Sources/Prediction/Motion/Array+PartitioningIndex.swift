// Array+PartitioningIndex: the binary search.

extension Array {
    /// Returns the index of the first element for which `predicate` is true; the number of elements
    /// if there is none. The elements for which the predicate is false must precede all others.
    func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
