// Renders a chart as `helm template` does: the same template language, functions and order of values, for the parts of
// Helm that the chart of this project uses. It has no dependencies between charts and no `lookup`.
//
//	render CHART RELEASE NAMESPACE [VALUES.yaml...]
//
// Prints a JSON object: the rendered text of each file of templates/, and the values it was rendered with.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

func main() {
	rendered, err := render(os.Args[1], os.Args[2], os.Args[3], os.Args[4:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(rendered)
}

type result struct {
	Files  map[string]string      `json:"files"`
	Values map[string]interface{} `json:"values"`
}

func render(chart, release, namespace string, valueFiles []string) (*result, error) {
	values, err := readYaml(filepath.Join(chart, "values.yaml"))
	if err != nil {
		return nil, err
	}
	for _, file := range valueFiles {
		given, err := readYaml(file)
		if err != nil {
			return nil, err
		}
		values = merge(values, given)
	}
	about, err := readYaml(filepath.Join(chart, "Chart.yaml"))
	if err != nil {
		return nil, err
	}
	// In templates the fields of Chart.yaml begin with a capital letter.
	chartFields := map[string]interface{}{}
	for name, value := range about {
		chartFields[strings.ToUpper(name[:1])+name[1:]] = value
	}
	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	if err != nil {
		return nil, err
	}

	all := template.New("gotpl").Option("missingkey=zero")
	all.Funcs(functions(all))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if _, err := all.New(nameOf(chart, file)).Parse(string(text)); err != nil {
			return nil, err
		}
	}
	out := &result{Files: map[string]string{}, Values: values}
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "_") {
			continue
		}
		name := nameOf(chart, file)
		context := map[string]interface{}{
			"Values":  values,
			"Chart":   chartFields,
			"Release": map[string]interface{}{"Name": release, "Namespace": namespace, "Service": "Helm", "IsInstall": true, "IsUpgrade": false, "Revision": 1},
			"Capabilities": map[string]interface{}{
				"KubeVersion": map[string]interface{}{"Version": "v1.32.0", "Major": "1", "Minor": "32"},
			},
			"Template": map[string]interface{}{"Name": name, "BasePath": filepath.Dir(name)},
		}
		var text bytes.Buffer
		if err := all.ExecuteTemplate(&text, name, context); err != nil {
			return nil, err
		}
		// As in Helm: with missingkey=zero a missing value of an untyped map still prints as this.
		out.Files[filepath.Base(file)] = strings.ReplaceAll(text.String(), "<no value>", "")
	}
	return out, nil
}

func nameOf(chart, file string) string {
	return filepath.Base(chart) + "/templates/" + filepath.Base(file)
}

// What Helm adds to Sprig, and what it removes.
func functions(all *template.Template) template.FuncMap {
	known := sprig.TxtFuncMap()
	delete(known, "env")
	delete(known, "expandenv")
	known["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	known["include"] = func(name string, data interface{}) (string, error) {
		var text bytes.Buffer
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	known["tpl"] = func(text string, data interface{}) (string, error) {
		copied, err := all.Clone()
		if err != nil {
			return "", err
		}
		copied.Funcs(functions(copied))
		if _, err := copied.New("tpl").Parse(text); err != nil {
			return "", err
		}
		var out bytes.Buffer
		err = copied.ExecuteTemplate(&out, "tpl", data)
		return strings.ReplaceAll(out.String(), "<no value>", ""), err
	}
	known["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return value, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	return known
}

// Maps are merged, everything else is replaced, and null removes a default.
func merge(defaults, given map[string]interface{}) map[string]interface{} {
	merged := map[string]interface{}{}
	for name, value := range defaults {
		merged[name] = value
	}
	for name, value := range given {
		ours, isMap := merged[name].(map[string]interface{})
		theirs, areBoth := value.(map[string]interface{})
		if value == nil {
			delete(merged, name)
		} else if isMap && areBoth {
			merged[name] = merge(ours, theirs)
		} else {
			merged[name] = value
		}
	}
	return merged
}

func readYaml(file string) (map[string]interface{}, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	values := map[string]interface{}{}
	if err := yaml.Unmarshal(text, &values); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return values, nil
}
