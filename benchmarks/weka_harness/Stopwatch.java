import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import weka.classifiers.Classifier;
import weka.core.Instances;
import weka.core.Utils;
import weka.core.converters.ConverterUtils.DataSource;
import weka.filters.Filter;
import weka.filters.supervised.attribute.Discretize;

/**
 * Times WEKA in a warm JVM, one request at a time, so that it can alternate with other programs.
 *
 * Reads one request per line from standard input, fields separated by tabs; writes one JSON object per line:
 *
 *   load TABLE FILE                    read an ARFF file; the last attribute is the class
 *   classify TABLE "CLASS OPTIONS" [FILE]  train on all rows, then score all rows; predictions are written to FILE
 *   discretize TABLE                   learn MDL cut points on all rows and apply them
 *
 * Seconds are CPU time of this thread only: the JIT compiler and the garbage collector run on other threads.
 */
public final class Stopwatch {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final Map<String, Instances> TABLES = new HashMap<>();

  private interface Work {
    void run() throws Exception;
  }

  private static double seconds(Work work) throws Exception {
    long before = THREADS.getCurrentThreadCpuTime();
    work.run();
    return (THREADS.getCurrentThreadCpuTime() - before) * 1e-9;
  }

  public static void main(String[] args) throws Exception {
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      String answer;
      try {
        answer = answer(line.split("\t"));
      } catch (Throwable problem) {
        answer = "{\"error\": \"" + problem.toString().replaceAll("[\"\\\\\\s]+", " ") + "\"}";
      }
      System.out.println(answer);
      System.out.flush();
    }
  }

  private static String answer(String[] request) throws Exception {
    switch (request[0]) {
      case "load":
        return load(request[1], request[2]);
      case "classify":
        return classify(TABLES.get(request[1]), request[2], request.length > 3 ? request[3] : null);
      case "discretize":
        return discretize(TABLES.get(request[1]));
      default:
        throw new IllegalArgumentException("unknown request " + request[0]);
    }
  }

  private static String load(String name, String file) throws Exception {
    Instances table = DataSource.read(file);
    table.setClassIndex(table.numAttributes() - 1);
    TABLES.put(name, table);
    return String.format(Locale.ROOT, "{\"rows\": %d, \"columns\": %d}", table.numInstances(), table.numAttributes() - 1);
  }

  private static String classify(Instances table, String specification, String file) throws Exception {
    String[] options = Utils.splitOptions(specification);
    String className = options[0];
    options[0] = "";
    Classifier model = Classifier.forName(className, options);
    double[][] probabilities = new double[table.numInstances()][];
    double fit = seconds(() -> model.buildClassifier(table));
    double predict = seconds(() -> {
      for (int row = 0; row < probabilities.length; row++) {
        probabilities[row] = model.distributionForInstance(table.instance(row));
      }
    });
    if (file != null) {
      try (PrintWriter out = new PrintWriter(file)) {
        for (double[] row : probabilities) {
          out.println(Utils.maxIndex(row));
        }
      }
    }
    return String.format(Locale.ROOT, "{\"fit\": %.6f, \"predict\": %.6f}", fit, predict);
  }

  private static String discretize(Instances table) throws Exception {
    double all = seconds(() -> {
      Discretize filter = new Discretize();
      filter.setInputFormat(table);
      Filter.useFilter(table, filter);
    });
    return String.format(Locale.ROOT, "{\"fit\": %.6f}", all);
  }
}
